import { isDeepStrictEqual } from "node:util";
import type { Rule } from "../rule.ts";
import { bodies, buckets, databases, domains, firewalls, instances, keys, listed, made, verdict } from "./side.ts";
import type { CloudSide } from "./side.ts";

async function again(side: CloudSide, path: string): Promise<string> {
  await made(side, path);
  return verdict(await side.ask("POST", path, bodies[path]));
}

/** What exists: names, ids, what is shown of a row and to whom. */
export const rowRules: Rule<CloudSide>[] = [
  {
    rule: "a row is shown as it was sent, to reads and in the list, and is gone when it was deleted",
    why: "all observation rests on it",
    async run(side) {
      const id = await made(side, keys);
      const { body } = await side.ask("GET", `${keys}/${id}`);
      const before = await listed(side, keys);
      const { status } = await side.ask("DELETE", `${keys}/${id}`);
      return [body["label"], before, status, await listed(side, keys), (await side.ask("GET", `${keys}/${id}`)).status];
    },
    gives: ["laptop", ["laptop"], 200, [], 404],
  },
  {
    rule: "what is not there is a 404, to each method",
    why: "a deletion that was done already counts as done",
    async run({ ask }) {
      const statuses = (["GET", "PUT", "DELETE"] as const).map(async (method) => {
        const { status } = await ask(method, `${firewalls}/999999`, method === "PUT" ? { label: "other" } : undefined);
        return status;
      });
      return Promise.all(statuses);
    },
    gives: [404, 404, 404],
  },
  {
    rule: "a second name is refused where names are unique, by the field",
    why: "a create whose answer was lost is found out by it",
    async run(side) {
      const unique = [firewalls, domains, databases];
      const outcomes: string[] = [];
      for (const path of unique) outcomes.push(await again(side, path));
      return outcomes;
    },
    gives: ["400 label", "400 domain", "400 label"],
  },
  {
    rule: "an instance has one public address by itself, and shows it before those that it is given later",
    why: "an IPAddress is not created while the instance has an address that no custom resource owns",
    async run(side) {
      const { ask } = side;
      const id = await made(side, instances);
      const path = `${instances}/${id}/ips`;
      const shown = async () => {
        const { ipv4 } = (await ask("GET", path)).body as { ipv4: Record<string, { address: string }[]> };
        return [ipv4["public"], ipv4["private"]].map((rows) => rows?.map(({ address }) => address));
      };
      const [before] = await shown();
      const given: unknown[] = [];
      for (const isPublic of [true, false]) {
        const body = { type: "ipv4", public: isPublic, compute_id: id };
        given.push((await ask("POST", "/networking/ips", body)).body["address"]);
      }
      const after = await shown();
      return [before?.length, isDeepStrictEqual(after, [[before?.[0], given[0]], [given[1]]])];
    },
    gives: [1, true],
  },
  {
    rule: "two SSH keys may have one name",
    why: "a repeated create would make a second",
    run: async (side) => [await again(side, keys)],
    gives: ["200"],
  },
  {
    rule: "a firewall may be named as one of another account, a domain and a bucket may not",
    why: "a name that is taken cannot be found by those it is refused to",
    async run(side) {
      const outcomes: string[] = [];
      for (const path of [firewalls, domains, buckets]) {
        await made(side, path, {}, "cleo");
        outcomes.push(verdict(await side.ask("POST", path, bodies[path])));
      }
      return outcomes;
    },
    gives: ["200", "400 domain", "400 label"],
  },
  {
    rule: "a bucket that is created again is answered as it is",
    why: "its creation can be repeated, and proves no ownership",
    async run(side) {
      const outcome = await again(side, buckets);
      return [outcome, await listed(side, buckets)];
    },
    gives: ["200", ["media"]],
  },
  {
    rule: "the list of a cluster has the buckets of that cluster alone",
    why: "a bucket that is not in it is not there",
    async run(side) {
      await made(side, buckets);
      await made(side, buckets, { label: "elsewhere", cluster: "eu-central-1" });
      return Promise.all(
        [buckets, `${buckets}/us-east-1`, `${buckets}/us-southeast-1`].map((path) => listed(side, path)),
      );
    },
    gives: [["media", "elsewhere"], ["media"], []],
  },
  {
    rule: "a field that must be given is named when it lacks",
    why: "a refusal is shown with its field",
    run: async ({ ask }) => verdict(await ask("POST", instances, { region: "us-east" })),
    gives: "400 type",
  },
  {
    rule: "an id may be given again, and then names the new row",
    why: "a recorded id proves nothing by itself",
    async run(side) {
      const id = await made(side, keys);
      await side.ask("DELETE", `${keys}/${id}`);
      side.giveAgain(keys, id);
      await side.advance(1_000);
      const other = await made(side, keys, { label: "other" });
      return [other === id, (await side.ask("GET", `${keys}/${id}`)).body["label"]];
    },
    gives: [true, "other"],
  },
  {
    rule: "tags are kept as they were set, also by a change of something else",
    why: "marks are tags",
    async run(side) {
      const tags: unknown[] = [];
      for (const path of [firewalls, domains]) {
        const id = await made(side, path);
        await side.ask("PUT", `${path}/${id}`, { status: "disabled" });
        tags.push((await side.ask("GET", `${path}/${id}`)).body["tags"]);
        await side.ask("PUT", `${path}/${id}`, { tags: [] });
        tags.push((await side.ask("GET", `${path}/${id}`)).body["tags"]);
      }
      return tags;
    },
    gives: [["tagged"], [], ["tagged"], []],
  },
  {
    rule: "what an account has is shown to all its users, SSH keys to their own, and neither to another account",
    why: "two tokens of one real account must not fight",
    async run(side) {
      await made(side, firewalls);
      const id = await made(side, keys);
      return [
        await listed(side, firewalls, "label", "bob"),
        await listed(side, keys, "label", "bob"),
        (await side.ask("GET", `${keys}/${id}`, undefined, "bob")).status,
        await listed(side, firewalls, "label", "cleo"),
      ];
    },
    gives: [["wall"], [], 404, []],
  },
  {
    rule: "a restricted user does not see what no grant names, and others still do",
    why: "what is not seen is not gone",
    async run(side) {
      const id = await made(side, firewalls);
      side.withdraw(firewalls, id);
      const { status, body } = await side.ask("GET", "/profile");
      return [
        [status, body["restricted"]],
        await listed(side, firewalls),
        (await side.ask("GET", `${firewalls}/${id}`)).status,
        await listed(side, firewalls, "label", "bob"),
        (await side.ask("GET", "/account")).status,
      ];
    },
    gives: [[200, true], [], 404, ["wall"], 403],
  },
  {
    rule: "a row with a value that no request could give it is shown with it",
    why: "an odd row must not stop the reading of the others",
    async run(side) {
      const id = await made(side, keys);
      await made(side, keys, { label: "other" });
      side.change(keys, id, { label: "" });
      return listed(side, keys);
    },
    gives: ["", "other"],
  },
  {
    rule: "what was removed behind the client's back is a 404 and in no list",
    why: "absence is found out this way",
    async run(side) {
      const id = await made(side, keys);
      side.remove(keys, id);
      return [await listed(side, keys), (await side.ask("DELETE", `${keys}/${id}`)).status];
    },
    gives: [[], 404],
  },
  {
    rule: "records go with their domain",
    why: "the record's object must find out",
    async run(side) {
      const id = await made(side, domains);
      const record = { type: "A", name: "www", target: "192.0.2.1" };
      const { status } = await side.ask("POST", `${domains}/${id}/records`, record);
      await side.ask("DELETE", `${domains}/${id}`);
      return [status, await listed(side, `${domains}/${id}/records`)];
    },
    gives: [200, 404],
  },
];
