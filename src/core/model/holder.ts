import { named } from "../kind/differences.ts";
import { Waiting } from "../kind/outcome.ts";

/** An object that holds another object: the operator finishes the deletion of the other object after the holder. */
export interface Holder {
  /** The name for a message. */
  name: string;
  /** The action that ends the hold: delete the holder, withdraw a sharing, or enable a kind. */
  cure: "delete" | "unshare" | "enable";
}

/** The words of a condition that names holders. */
export interface HolderWords {
  relation: "referred to" | "used";
  /** The next action of the operator. */
  next: string;
  /** Advice for the user, in the order of the message. The message always contains the advice `delete`. */
  advice: Record<Holder["cure"], string>;
}

/** Time between two checks of a waiting deletion, milliseconds. An object can end its hold without a watch event. */
const againMs = 30_000;

/** Returns the condition of a deletion that waits for holders. Names each holder once. */
export function waitForHolders(held: Holder[], { relation, next, advice }: HolderWords): Waiting {
  const names = [...new Set(held.map(({ name }) => name))];
  const cures = new Set(["delete", ...held.map(({ cure }) => cure)]);
  const useful = Object.entries(advice).flatMap(([cure, text]) => (cures.has(cure) ? text : []));
  const text = `still ${relation} by ${named(names)}. ${next}. ${useful.join(", ")}`;
  return new Waiting("WaitingForDependents", text, againMs);
}
