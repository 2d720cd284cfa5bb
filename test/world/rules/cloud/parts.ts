import type { JsonObject } from "../../../../src/api/types.ts";
import type { Rule } from "../rule.ts";
import { text } from "../../collections.ts";
import { instances, made } from "./side.ts";
import type { CloudSide } from "./side.ts";

const addresses = "/networking/ips";
const label = "blue";

async function tagsOf({ ask }: CloudSide, id: number): Promise<unknown> {
  return (await ask("GET", `${instances}/${id}`)).body["tags"];
}

async function carriersOf({ ask }: CloudSide): Promise<unknown[]> {
  const { body } = await ask("GET", `/tags/${label}`);
  return (body["data"] as { type: string; data: JsonObject }[]).map(({ type, data }) => [type, data["id"]]);
}

/** A public address that the instance gets besides its first one. */
async function addAddress({ ask }: CloudSide, id: number): Promise<string> {
  const { body } = await ask("POST", addresses, { type: "ipv4", public: true, compute_id: id });
  return text(body["address"]);
}

async function has({ ask }: CloudSide, address: string): Promise<boolean> {
  const { body } = await ask("GET", addresses);
  return (body["data"] as JsonObject[]).some((row) => row["address"] === address);
}

/** What belongs to a row, and goes with it. */
export const partRules: Rule<CloudSide>[] = [
  {
    rule: "a tag lists the rows that carry it, and a second request for it adds rows",
    why: "a Tag finds by the list which rows it must change",
    async run(side) {
      const ids = [await made(side, instances), await made(side, instances, { label: "second" })];
      for (const id of ids) await side.ask("POST", "/tags", { label, computes: [id] });
      const carriers = await carriersOf(side);
      return [carriers.length, carriers.every((one) => ids.some((id) => String(one) === `compute,${id}`))];
    },
    gives: [2, true],
  },
  {
    rule: "the deletion of a tag removes it from every row",
    why: "a Tag that lists every row sends no other request when it is deleted",
    async run(side) {
      const id = await made(side, instances);
      await side.ask("POST", "/tags", { label, computes: [id] });
      const before = await tagsOf(side, id);
      await side.ask("DELETE", `/tags/${label}`);
      return [before, await tagsOf(side, id)];
    },
    gives: [["tagged", label], ["tagged"]],
  },
  {
    rule: "an address goes with its instance, or by a request of its own",
    why: "an IPAddress of an instance that is gone needs no request",
    async run(side) {
      const id = await made(side, instances);
      const [kept, removed] = [await addAddress(side, id), await addAddress(side, id)];
      const { status } = await side.ask("DELETE", `${instances}/${id}/ips/${removed}`);
      const between = [await has(side, kept), await has(side, removed)];
      await side.ask("DELETE", `${instances}/${id}`);
      await side.advance(600_000);
      return [status, between, await has(side, kept)];
    },
    gives: [200, [true, false], false],
  },
];
