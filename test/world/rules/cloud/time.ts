import { text } from "../../collections.ts";
import type { Rule } from "../rule.ts";
import { betas, bodies, databases, firewalls, instances, keys, lateMs, listed, made, verdict } from "./side.ts";
import type { CloudSide, RuleFault } from "./side.ts";

/** A POST that meets a fault: its status, and what is in the list at once and later. */
function meeting(kind: RuleFault): (side: CloudSide) => Promise<unknown> {
  return async (side) => {
    side.fault(kind, "POST", keys);
    const { status } = await side.ask("POST", keys, bodies[keys]);
    const atOnce = await listed(side, keys);
    await side.advance(lateMs);
    return [status, atOnce, await listed(side, keys)];
  };
}

function slowly(kind: RuleFault): (side: CloudSide) => Promise<unknown> {
  return async (side) => {
    side.fault(kind, "POST", keys);
    const asked = side.ask("POST", keys, bodies[keys]);
    await side.held();
    const atOnce = await listed(side, keys);
    await side.advance(lateMs);
    const { status } = await asked;
    return [status, atOnce, await listed(side, keys)];
  };
}

const lost = "a create without an answer may have been done, or not, or not yet";

/** Time, and what goes wrong on the way. */
export const timeRules: Rule<CloudSide>[] = [
  {
    rule: "a backup of a database is answered with nothing, and listed once it is complete",
    why: "what was accepted has no id, and is not there yet",
    async run(side) {
      const path = `${databases}/${await made(side, databases)}/backups`;
      await side.advance(30 * 60_000);
      const { status, body } = await side.ask("POST", path, { label: "before" });
      const atOnce = await listed(side, path);
      await side.advance(3 * 60_000);
      return [status, body, atOnce, await listed(side, path), await listed(side, path, "type")];
    },
    gives: [200, {}, [], ["before"], ["snapshot"]],
  },
  {
    rule: "an instance has one snapshot: a new one deletes the one before",
    why: "what takes one must know of the one that goes",
    async run(side) {
      const path = `${instances}/${await made(side, instances)}/backups`;
      const label = async () => {
        await side.advance(30 * 60_000);
        const { body } = await side.ask("GET", path);
        return (body as { snapshot: { current: { label: string } | null } }).snapshot.current?.label;
      };
      const labels = [await label()];
      for (const one of ["first", "second"]) {
        await side.ask("POST", path, { label: one });
        labels.push(await label());
      }
      return labels;
    },
    gives: [undefined, "first", "second"],
  },
  {
    rule: "an enrollment is answered with nothing and listed at once, and a second one is refused by the field",
    why: "it is found by the program that it names",
    async run(side) {
      const { status, body } = await side.ask("POST", betas, { id: "fast-disks" });
      const again = verdict(await side.ask("POST", betas, { id: "fast-disks" }));
      const shown = await side.ask("GET", `${betas}/fast-disks`);
      return [status, body, await listed(side, betas, "id"), shown.body["id"], again];
    },
    gives: [200, {}, ["fast-disks"], "fast-disks", "400 id"],
  },
  {
    rule: "an answer is lost before anything was done",
    why: lost,
    run: meeting("lostBefore"),
    gives: [undefined, [], []],
  },
  {
    rule: "an answer is lost after all was done",
    why: lost,
    run: meeting("lostAfter"),
    gives: [undefined, ["laptop"], ["laptop"]],
  },
  {
    rule: "an answer is lost and it is done later",
    why: lost,
    run: meeting("lateApply"),
    gives: [undefined, [], ["laptop"]],
  },
  {
    rule: "an answer is late and all was done at once",
    why: lost,
    run: slowly("slow"),
    gives: [200, ["laptop"], ["laptop"]],
  },
  {
    rule: "a request is done late and answered then",
    why: lost,
    run: slowly("slowApply"),
    gives: [200, [], ["laptop"]],
  },
  {
    rule: "a gateway answers with a page, and nothing was done",
    why: lost,
    run: meeting("html502"),
    gives: [502, [], []],
  },
  {
    rule: "a JSON 404 to a create, and nothing was done",
    why: "a path can be withdrawn",
    run: meeting("notFound"),
    gives: [404, [], []],
  },
  {
    rule: "200 with {}, and nothing was done",
    why: "an answer without an id proves no creation",
    run: meeting("empty"),
    gives: [200, [], []],
  },
  {
    rule: "too many requests, and nothing was done",
    why: "it is sent again",
    run: meeting("tooMany"),
    gives: [429, [], []],
  },
  {
    rule: "a token that is not accepted, and nothing was done",
    why: "the account says so",
    run: meeting("unauthorized"),
    gives: [401, [], []],
  },
  {
    rule: "a list that lags leaves a new row out for a while, and a read of the row does not",
    why: "a created row that is in no list yet is not gone",
    async run(side) {
      side.lagLists(5);
      const id = await made(side, firewalls);
      const before = await listed(side, firewalls);
      const { status } = await side.ask("GET", `${firewalls}/${id}`);
      await side.advance(5_000);
      return [before, status, await listed(side, firewalls)];
    },
    gives: [[], 200, ["wall"]],
  },
  {
    rule: "created is the time of the service to the second, and the Date header may be ahead of it",
    why: "what was made after an attempt began is told by it",
    async run(side) {
      side.aheadDate(90);
      const { body, dateMs } = await side.ask("POST", keys, bodies[keys]);
      const created = text(body["created"]);
      return [/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/.test(created), (dateMs - Date.parse(`${created}Z`)) / 1_000];
    },
    gives: [true, 90],
  },
  {
    rule: "an instance that is being made refuses jobs as busy, and runs later",
    why: "a change waits for it",
    async run(side) {
      const id = await made(side, instances);
      const { status, body } = await side.ask("POST", `${instances}/${id}/resize`, { type: "g6-standard-2" });
      const [error] = body["errors"] as { reason: string }[];
      await side.advance(60_000);
      return [status, error?.reason, (await side.ask("GET", `${instances}/${id}`)).body["status"]];
    },
    gives: [400, "Compute busy.", "running"],
  },
  {
    rule: "an instance can be deleted while it is being made",
    why: "a deletion does not wait for it",
    async run(side) {
      const id = await made(side, instances);
      const { status } = await side.ask("DELETE", `${instances}/${id}`);
      await side.advance(60_000);
      return [status, await listed(side, instances)];
    },
    gives: [200, []],
  },
  {
    rule: "a resize has the new type when it is done, and the instance runs again",
    why: "an operation is open until the row shows it",
    async run(side) {
      const id = await made(side, instances);
      await side.advance(60_000);
      const { status } = await side.ask("POST", `${instances}/${id}/resize`, { type: "g6-standard-2" });
      const during = (await side.ask("GET", `${instances}/${id}`)).body;
      await side.advance(200_000);
      const after = (await side.ask("GET", `${instances}/${id}`)).body;
      return [status, during["type"], during["status"] === "running", after["type"], after["status"]];
    },
    gives: [200, "g6-standard-1", false, "g6-standard-2", "running"],
  },
  {
    rule: "an upgrade has the successor of a deprecated type when it is done, and the instance runs again",
    why: "an operation is open until the row shows it",
    async run(side) {
      const id = await made(side, instances);
      await side.advance(60_000);
      side.change(instances, id, { type: "g5-standard-1" });
      const { status } = await side.ask("POST", `${instances}/${id}/mutate`, { allow_auto_disk_resize: false });
      const during = (await side.ask("GET", `${instances}/${id}`)).body;
      await side.advance(200_000);
      const after = (await side.ask("GET", `${instances}/${id}`)).body;
      return [status, during["type"], during["status"] === "running", after["type"], after["status"]];
    },
    gives: [200, "g5-standard-1", false, "g6-standard-1", "running"],
  },
  {
    rule: "a rescue boots the instance, and events tell of a boot",
    why: "what came of a request without a response is known by its event",
    async run(side) {
      const id = await made(side, instances);
      await side.advance(60_000);
      const { status } = await side.ask("POST", `${instances}/${id}/rescue`, {});
      const during = (await side.ask("GET", `${instances}/${id}`)).body["status"];
      await side.advance(200_000);
      const actions = (await listed(side, "/account/events", "action")) as string[];
      const told = actions.filter((action) => action === "compute_rescue" || action === "compute_boot");
      return [status, during, (await side.ask("GET", `${instances}/${id}`)).body["status"], new Set(told)];
    },
    gives: [200, "rebooting", "running", new Set(["compute_boot"])],
  },
  {
    rule: "a page beyond the last is empty",
    why: "a list may become shorter while its pages are read",
    async run(side) {
      await made(side, firewalls);
      const { status, body } = await side.ask("GET", `${firewalls}?page=3&page_size=25`);
      return [status, body["data"], body["pages"], body["results"]];
    },
    gives: [200, [], 1, 1],
  },
];
