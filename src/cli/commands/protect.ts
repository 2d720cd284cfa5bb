/** `protect`: lets the API server refuse the deletion of an object. */
import { Option } from "commander";
import { specOf } from "../../core/kind/object.ts";
import { verb } from "../change.ts";
import { titleOf } from "../objects.ts";
import type { Change } from "../change.ts";
import { Failure } from "../failure.ts";
import type { Named } from "../objects.ts";

export const protect = verb({
  name: "protect",
  summary: "Protects an object: the API server refuses its deletion.",
  description:
    "Sets spec.management.protect. The setting does not protect the cloud object against a user who deletes it in the cloud.",
  examples: [
    ["protect managedmysql shop-db", "refuses deletions of the ManagedMySQL shop-db"],
    ["protect managedmysql shop-db --off --yes", "permits a deletion again, without a question"],
  ],
  options: [new Option("--off", "permit a deletion")],
  decide: (named, { off }) => protectionOf(named, off !== true),
});

function protectionOf({ kind, object }: Named, isProtected: boolean): Change {
  const name = titleOf(object);
  if (!("management" in kind.spec.shape)) throw new Failure(`${kind.kind} has no setting protect`);
  const { protect: before } = specOf(object).management ?? {};
  if (before === isProtected) throw new Failure(`${name} already has spec.management.protect: ${before}`);
  if (isProtected && object.metadata.deletionTimestamp !== undefined)
    throw new Failure(
      `the deletion of ${name} has started, and Kubernetes cannot stop it. Use orphan to keep the cloud object`,
    );
  const loses = kind.loses === undefined ? "" : ` A deletion also deletes ${kind.loses} in the cloud.`;
  return {
    patch: { spec: { management: { protect: isProtected } } },
    effects: [
      isProtected
        ? `The API server refuses the deletion of ${name}, and of its namespace, until protect --off.`
        : `The API server permits the deletion of ${name}.${loses}`,
    ],
    done: isProtected ? "protected" : "no longer protected",
  };
}
