import { listOf } from "../kind/differences.ts";
import { Waiting } from "../kind/outcome.ts";
import { times } from "../kind/times.ts";

/** A holder: the operator finishes the deletion of the held object only after the holder. */
export interface Holder {
  name: string;
  /**
   * The action that ends the hold: delete the holder, withdraw a sharing, or enable a kind. `watch` means an unwatched namespace:
   * watch the namespace, or withdraw the sharing. The name is the name of the namespace.
   */
  cure: "delete" | "unshare" | "enable" | "watch";
}

export interface HolderWords {
  relation: "referred to" | "used";
  next: string;
  /** The action of the operator if it cannot see the holders. */
  unseen: string;
  /** Advice for the user, in the order of the message. The message about visible holders always contains the advice `delete`. */
  advice: Record<Exclude<Holder["cure"], "watch">, string>;
}

/** Returns the condition of a deletion that waits for holders. Names each holder once. */
export function waitForHolders(held: Holder[], words: HolderWords): Waiting {
  const [unseen, seen] = [held.filter(({ cure }) => cure === "watch"), held.filter(({ cure }) => cure !== "watch")];
  const texts = [seen.length > 0 ? seenText(seen, words) : [], unseen.length > 0 ? unseenText(unseen, words) : []];
  return new Waiting("WaitingForDependents", texts.flat().join(". "), times.again);
}

function seenText(held: Holder[], { relation, next, advice }: HolderWords): string {
  const cures = new Set(["delete", ...held.map(({ cure }) => cure)]);
  const useful = Object.entries(advice).flatMap(([cure, text]) => (cures.has(cure) ? text : []));
  return `this object is still ${relation} by ${holderNames(held)}. ${next}. ${useful.join(", ")}`;
}

function unseenText(held: Holder[], { relation, unseen }: HolderWords): string {
  const cures =
    "Let the operator watch these namespaces (--namespace; in the chart watch.namespaces), or remove them from the list";
  return `the operator does not watch ${holderNames(held)}, where this object can be ${relation}. ${unseen}. ${cures}`;
}

function holderNames(held: Holder[]): string {
  return listOf([...new Set(held.map(({ name }) => name))]);
}
