/** `adopt`: lets an object take over an existing cloud object. */
import { Option } from "commander";
import { nameOf, nounOf } from "../../core/kind/naming.ts";
import { readyOf, specOf, statusOf } from "../../core/kind/object.ts";
import { titleOf } from "../objects.ts";
import type { Kind } from "../../core/kind/owned.ts";
import { fixedCollectionOf } from "../../core/model/note-claim.ts";
import { accountOf } from "../../core/model/owners.ts";
import { verb } from "../change.ts";
import type { Change } from "../change.ts";
import { Failure } from "../failure.ts";
import { readManagers } from "../managers.ts";
import type { Named } from "../objects.ts";
import { offeredId } from "../offers.ts";
import type { Session } from "../session.ts";

export const adopt = verb({
  name: "adopt",
  summary: "Lets an object take over an existing cloud object.",
  description:
    "Sets spec.management.adopt.id. Without an ID, the command uses the ID in the message of a Conflict. The operator sends nothing while no field differs. A difference in access, data or cost waits for an approval, unless --overwrite is set.",
  arguments: "<kind> <name> [id]",
  examples: [
    ["adopt firewall legacy 2", "lets the Firewall legacy take over firewall 2 of the cloud"],
    ["adopt sshkey laptop 12 --overwrite --yes", "adopts, and changes the cloud object to match the spec"],
  ],
  options: [new Option("--overwrite", "change the adopted cloud object immediately to match the spec")],
  decide: (named, { overwrite }, session, [, , id]) =>
    adoptionOf(named, session, { id, overwrite: overwrite === true }),
});

/** Reasons of objects whose recorded cloud object is not usable. */
const replaceable = new Set(["Missing", "Conflict", "AccountChanged", "AdoptionFailed", "CreateUncertain"]);

async function adoptionOf(
  { kind, object }: Named,
  session: Session,
  asked: { id: string | undefined; overwrite: boolean },
): Promise<Change> {
  const name = titleOf(object);
  if (kind.shape !== "owned") throw new Failure(`${kind.kind} adopts nothing: it creates no cloud object of its own`);
  const id = asked.id ?? offeredId(object);
  if (id === undefined) throw new Failure(`name the ID of the ${nounOf(kind)}. cloudplatform resources lists the IDs`);
  const { id: own, conditions } = statusOf(object);
  const reason = readyOf(conditions)?.reason ?? "";
  if (own !== undefined && !replaceable.has(reason))
    throw new Failure(`${name} already manages ${nameOf(kind, own)}, so it adopts nothing`);
  if (specOf(object).management?.adopt?.id === id && reason !== "Conflict")
    throw new Failure(
      `${name} already has spec.management.adopt.id "${id}". Its condition is ${reason || "not known yet"}`,
    );
  await refuseManaged({ kind, object }, session, id);
  const effect = asked.overwrite
    ? "The operator changes the cloud object immediately to match the spec."
    : "The operator first shows each difference in access, data or cost as a plan, and waits for an approval.";
  return {
    patch: { spec: { management: { adopt: { id, filter: null, ...(asked.overwrite && { overwrite: true }) } } } },
    effects: [`${name} takes over ${nameOf(kind, id)} of the cloud.`, effect],
    done: `adopts ${id}`,
  };
}

async function refuseManaged({ kind, object }: Named, session: Session, id: string): Promise<void> {
  const collection = fixedCollectionOf(kind as Kind);
  if (collection === undefined) return;
  const manager = (await readManagers(session.cluster(), accountOf(object))).of(collection, id);
  if (!manager || manager.metadata.uid === object.metadata.uid) return;
  throw new Failure(
    `${titleOf(manager)} already manages ${nameOf(kind, id)}. Delete one of the two objects, after orphan to keep the cloud object`,
  );
}
