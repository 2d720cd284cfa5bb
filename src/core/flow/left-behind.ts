/**
 * A cloud object that stays although nobody asked for that: its object is gone, and it was not the operator that removed
 * the finalizer. Nothing is deleted, since that may be intended; but it is reported while the operator still knows it.
 */
import { announce } from "./announce.ts";
import type { KubeObject } from "../../cluster/types.ts";
import { claimOf, fixedCollectionOf, intentOn, recordOf } from "../claim/claim.ts";
import { accountOf } from "../claim/ownership.ts";
import { finalizer, keyOfObject } from "../kind/resource.ts";
import type { Environment } from "./environment.ts";
import { operatorAnnotation } from "../custody/finalizer.ts";
import type { Verdict } from "../kind/outcome.ts";
import type { Reason } from "../kind/reasons.ts";
import { begin } from "./reconciliation.ts";
import type { Reconciliation } from "./reconciliation.ts";
import { orphans } from "./remove.ts";

/** Says what stays in the cloud of an object that is gone, or can no longer be held; nothing where nothing does. */
export function noteLeftBehind(environment: Environment, object: KubeObject): void {
  const kind = environment.kinds.get(object.kind);
  const remembered = environment.memory.of(object.metadata.uid);
  if (
    !kind ||
    kind.shape !== "owned" ||
    !remembered.held ||
    isTakenOver(environment, object) ||
    isStray(environment, object)
  )
    return;
  delete remembered.held;
  const at = begin(environment, kind, object, recordOf(environment, object), false);
  const what = orphans(at) ? undefined : remainder(at);
  if (!what) return;
  const account = accountOf(object);
  const how = what.id === undefined ? "" : ` with spec.management.adopt.id: "${what.id}"`;
  const note = `${what.text} in ${what.collection} of CloudAccount ${account}: this object was deleted after somebody had removed its finalizer ${finalizer}. No object manages it. To manage it again, create an object${how}; otherwise delete it in the cloud`;
  announce(environment, object, { type: "Warning", reason: "LeftBehind", action: "Delete", note, id: what.id });
  environment.leftBehind(kind.kind);
}

/** What people alone could decide, on the object. What a token or a grant is in the way of is tried again. */
const ofPeople = new Set<Reason>(["Conflict", "CreateUncertain"]);

/**
 * The end of an object that is gone while it is not known what was created for it, and nobody can say so on it any more: what no
 * retry changes is given up once no request can take effect any more, so that another object of its name does not wait for ever.
 */
export function endStray(at: Reconciliation, verdict: Verdict): Verdict {
  const { environment, object } = at;
  const { memory, clock, settle } = environment;
  const goneMs = memory.deletingMs(object.metadata.uid, clock.now());
  if (verdict.state !== "stalled" || !ofPeople.has(verdict.reason) || goneMs <= settle.billableMs) return verdict;
  const what = remainder(at);
  if (what) {
    const note = `${what.text} in ${what.collection} of CloudAccount ${accountOf(object)}, if anything was created: this object was deleted during its creation, and ${verdict.message}`;
    announce(environment, object, { type: "Warning", reason: "LeftBehind", action: "Delete", note, id: what.id });
    environment.leftBehind(at.kind.kind);
  }
  return { state: "gone" };
}

function remainder(at: Reconciliation): { text: string; id: string | undefined; collection: string } | undefined {
  const claim = claimOf(at);
  const collection = intentOn(at)?.collection ?? fixedCollectionOf(at.kind) ?? at.kind.plural;
  if (claim.state === "none") return undefined;
  if (claim.state === "open" || claim.state === "unproven") {
    const attempt = claim.state === "open" ? claim.intent.attempt : claim.attempt;
    return { text: `What attempt ${attempt} may have created stays`, id: undefined, collection };
  }
  // The cloud API has accepted its deletion.
  if (at.remembered.deleted === claim.id) return undefined;
  return { text: `${claim.id} stays`, id: claim.id, collection };
}

/** Another operator took it in since, and released it. */
function isTakenOver({ custody }: Environment, { metadata }: KubeObject): boolean {
  const holder = metadata.annotations?.[operatorAnnotation];
  return custody !== undefined && holder !== undefined && holder !== custody.own;
}

/** What was created for it is deleted by this process. */
function isStray({ memory }: Environment, object: KubeObject): boolean {
  return memory.strays(keyOfObject(object)).some(({ metadata }) => metadata.uid === object.metadata.uid);
}
