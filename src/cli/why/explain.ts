/** Explains the state of an object: follows references, account and Secrets to the root causes. */
import type { KubeObject } from "../../cluster/types.ts";
import { readyOf, statusOf } from "../../core/kind/object.ts";
import type { Condition } from "../../core/kind/status-schema.ts";
import { finalizer, keyOfObject } from "../../core/kind/resource.ts";
import { namedKinds, titleOf } from "../objects.ts";
import type { Named } from "../objects.ts";
import { accountCauses, cloudCauses, tokenCauses } from "./account.ts";
import type { Explain } from "./account.ts";
import { commandsFor, warningFor } from "./cures.ts";
import { linkOf } from "./link.ts";
import type { Link } from "./link.ts";
import type { Look } from "./look.ts";
import { cycle, dependentCauses, parentCauses, referenceCauses, valueCauses } from "./references.ts";

/** Returns the explanation of the condition Ready, then of each further condition that reports a problem. */
export async function explainObject(look: Look, named: Named): Promise<Link[]> {
  const main = await explainReady(look, named, new Set());
  const { conditions = [] } = statusOf(named.object);
  const others = conditions.filter(({ type, status, reason }) => {
    const isProblem = ["Drifted", "Duplicate", "Unpublished"].includes(type) && status === "True";
    return isProblem && reason !== "Ready";
  });
  return [main, ...others.map((one) => withCommands(named, linkOf(named.object, one)))];
}

/** `above`: the keys of the objects that wait for the object. */
async function explainReady(look: Look, named: Named, above: ReadonlySet<string>): Promise<Link> {
  const { object } = named;
  const key = keyOfObject(object);
  if (above.has(key)) return cycle(object);
  const ready = readyOf(statusOf(object).conditions);
  if (!ready || isBehind(object)) return unseen(object);
  const explain: Explain = (kind, other) => {
    const of = namedKinds.find((one) => one.kind === kind);
    if (!of) throw new Error(`no kind ${kind}`);
    return explainReady(look, { kind: of, object: other }, new Set([...above, key]));
  };
  const link = withCommands(named, linkOf(object, stateOf(object, ready)));
  if (ready.status === "True" && link.reason === ready.reason) return link;
  return { ...link, because: await causesOf(look, named, link.reason ?? "", explain) };
}

/** Returns the condition of an object. The operator reports a deletion that makes progress only after a few minutes. */
function stateOf({ metadata }: KubeObject, ready: Condition): Pick<Condition, "reason" | "message"> {
  if (metadata.deletionTimestamp === undefined || ready.status !== "True" || ready.reason === "Paused") return ready;
  return { reason: "Deleting", message: `the object is in deletion since ${metadata.deletionTimestamp}` };
}

function withCommands(named: Named, link: Link): Link {
  const { reason = "" } = link;
  const cure = [link.cure, warningFor(named, reason)].join(" ").trim();
  return { ...link, cure, commands: commandsFor(named, reason) };
}

async function causesOf(look: Look, named: Named, reason: string, explain: Explain): Promise<Link[]> {
  const { kind, object } = named;
  const isCloud = reason === "CloudUnavailable" || reason === "RateLimited";
  if (kind.kind === "CloudAccount" && isCloud) return cloudCauses(look, named);
  if (kind.kind === "CloudAccount" && reason !== "WaitingForDependents") return tokenCauses(look, object, reason);
  if (reason === "Deleting") return [...finalizerCauses(object), ...(await parentCauses(look, named, explain))];
  if (reason === "WaitingForParent") return parentCauses(look, named, explain);
  if (reason === "WaitingForDependents") return dependentCauses(look, named, explain);
  if (reason === "Paused" || reason === "NotPermitted") return [];
  const ofAccount = await accountCauses(look, named, explain);
  if (ofAccount.length > 0) return ofAccount;
  if (isCloud) return cloudCauses(look, named);
  if (reason === "WaitingForReference") return referenceCauses(look, named, explain);
  // With InvalidSpec, the message names the field or the Secret: the value exists, and the operator refuses it.
  if (reason === "WaitingForSecret" || reason === "CodeSent") return valueCauses(look, named, "Secret");
  return [];
}

/** Returns the foreign finalizers of an object that the operator has released. */
function finalizerCauses({ kind, metadata }: KubeObject): Link[] {
  const { finalizers = [] } = metadata;
  if (finalizers.length === 0 || finalizers.includes(finalizer)) return [];
  const subject = titleOf({ kind, metadata });
  return finalizers.map((one) => ({
    subject,
    message: `the finalizer ${one} of another program keeps ${subject}`,
    cure: `The program with the finalizer ${one} must remove it.`,
    commands: [],
    because: [],
  }));
}

function isBehind({ metadata, status = {} }: KubeObject): boolean {
  const { observedGeneration } = status as { observedGeneration?: number };
  return observedGeneration !== undefined && observedGeneration >= 0 && observedGeneration < (metadata.generation ?? 0);
}

function unseen(object: KubeObject): Link {
  const what = readyOf(statusOf(object).conditions) ? "the last change of the spec" : "the object";
  return {
    subject: titleOf(object),
    message: `no operator has reconciled ${what} yet`,
    cure: "Wait a moment. Then check that an operator runs, watches the namespace, and manages the kind.",
    commands: ["kubectl cloudplatform doctor"],
    object,
    because: [],
  };
}
