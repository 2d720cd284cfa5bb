/** `pause` and `resume`: the policy Paused of an object, and its end. */
import { Option } from "commander";
import { specOf } from "../../core/kind/object.ts";
import { verb } from "../change.ts";
import { titleOf } from "../objects.ts";
import type { Change } from "../change.ts";
import { Failure } from "../failure.ts";
import type { Named } from "../objects.ts";
import { effectsAfter, pausedFromAnnotation, policies, policyAfter } from "../pause-end.ts";

export const pause = verb({
  name: "pause",
  summary: "Pauses an object: the operator neither reads nor changes its cloud object.",
  description:
    "Sets spec.management.policy to Paused, and records the former policy for resume. A deletion of the object waits until the end of the pause. If a GitOps tool applies the manifest, change the manifest too.",
  examples: [
    ["pause computeinstance web-1", "pauses the ComputeInstance web-1 after a question"],
    ["pause domain shop -n shop --dry-run", "shows what a pause does, and changes nothing"],
  ],
  decide: (named) => pauseOf(named),
});

export const resume = verb({
  name: "resume",
  summary: "Ends the pause of an object.",
  description:
    "Sets the policy from before the pause, or the policy of --policy. For an object in deletion, the operator then deletes the cloud object; orphan keeps it.",
  examples: [
    ["resume computeinstance web-1", "restores the policy from before the pause"],
    ["resume computeinstance web-1 --policy Plan", "continues with a plan that waits for an approval"],
  ],
  options: [new Option("--policy <policy>", "policy after the pause; default: the former one").choices(policies)],
  decide: (named, { policy }) => resumeOf(named, typeof policy === "string" ? policy : undefined),
});

function pauseOf({ kind, object }: Named): Change {
  const name = titleOf(object);
  const policy = policyOf({ kind, object });
  if (policy === "Paused") throw new Failure(`${name} is already paused. Use resume to end the pause`);
  const deleting = object.metadata.deletionTimestamp !== undefined;
  return {
    patch: {
      metadata: { annotations: { [pausedFromAnnotation]: policy } },
      spec: { management: { policy: "Paused" } },
    },
    effects: [
      `The operator neither reads nor changes the cloud object of ${name} until resume (policy ${policy} → Paused).`,
      deleting ? "The deletion of the object waits, too." : "A deletion of the object waits until then.",
    ],
    done: "paused",
  };
}

function resumeOf({ kind, object }: Named, chosen: string | undefined): Change {
  const name = titleOf(object);
  const before = policyOf({ kind, object });
  if (before !== "Paused") throw new Failure(`${name} is not paused: its policy is ${before}`);
  const policy = chosen ?? policyAfter(object);
  return {
    patch: {
      metadata: { annotations: { [pausedFromAnnotation]: null } },
      spec: { management: { policy: policy === "Manage" ? null : policy } },
    },
    effects: [
      `The operator reconciles ${name} again (policy Paused → ${policy}).`,
      ...effectsAfter({ kind, object }, policy),
    ],
    done: "resumed",
  };
}

/** Throws `Failure` for a kind without a policy, such as CloudAccount. */
function policyOf({ kind, object }: Named): string {
  if (!("management" in kind.spec.shape))
    throw new Failure(`${kind.kind} has no policy, so it cannot be paused. Name an object of the account instead`);
  return specOf(object).management?.policy ?? "Manage";
}
