/** Rules about the age of facts that forbid a request. */
import { isProtected } from "../act.ts";
import type { Held } from "../books.ts";
import { authorOf, during, general, isCreation, isMutating, isThere, numbered, objectAt, rowsOf } from "./facts.ts";
import type { Rule, TenantFacts } from "./facts.ts";
import { freshMs } from "./facts.ts";

export const fresh: { [name: string]: Rule } = {
  "no request uses a rotated token": ({ world, books }) =>
    world.cloud
      .ledger()
      .filter((entry) => isMutating(entry) && !entry.path.startsWith("/objects/"))
      .filter(({ token, atMs }) => !during(books.tokens, atMs - freshMs, atMs).includes(token))
      .map((entry) => ({
        kind: "CloudAccount",
        what: `${entry.method} with a former token`,
        detail: numbered(entry),
      })),

  "no creation serves a deleted or paused object": (facts) =>
    facts.books.touches.filter(isCreation).flatMap(({ entry, row }) => {
      const author = authorOf(entry);
      const held = author && objectAt(facts.books, author, entry.atMs);
      if (!author || !held) return [];
      const policies = during(held.specs, entry.atMs - freshMs, entry.atMs).map(policyIn);
      const deleted = held.deletingAt + freshMs < entry.atMs;
      const paused = policies.every((policy) => policy === "Paused" || policy === "Observe");
      if (!deleted && !paused) return [];
      const what = deleted ? "a deleted object" : "a paused object";
      return [{ kind: author.kind, what: `${general(entry)} for ${what}`, detail: `${numbered(entry)} ${row.id}` }];
    }),

  "a protected object keeps its parent": (facts) =>
    facts.books.touches
      .filter(({ entry, row }) => entry.method === "DELETE" && row.removed !== undefined)
      .flatMap(({ entry, row }) =>
        facts.books.objects
          .filter((held) => isKept(held, entry.atMs))
          .filter((held) =>
            rowsOf(facts, held).some(
              (inner) => isThere(inner, entry.atMs) && inner.path.startsWith(`${row.path}/${row.id}/`),
            ),
          )
          .slice(0, 1)
          .map((held) => ({
            kind: held.kind,
            what: `${general(entry)} takes it along${formOf(held)}${isDisabled(facts, held) ? ", its kind is disabled" : ""}`,
            detail: `${numbered(entry)}: ${held.namespace}/${held.name}`,
          })),
      ),
};

function policyIn(spec: Record<string, unknown>): string {
  return (spec["management"] as { policy?: string } | undefined)?.policy ?? "Manage";
}

/** Returns true if the object was protected for the last half second and is not being deleted. */
function isKept({ specs, createdAt, deletingAt }: Held, atMs: number): boolean {
  const last = during(specs, atMs - freshMs, atMs);
  return createdAt <= atMs - freshMs && deletingAt > atMs && last.every((spec) => isProtected({ spec }));
}

/** Returns the form of the reference to the parent. */
function formOf({ object }: Held): string {
  const { domainRef, instanceRef } = (object.spec ?? {}) as Record<string, { id?: string } | undefined>;
  return (domainRef ?? instanceRef)?.id === undefined ? "" : ", named by id";
}

function isDisabled({ life }: TenantFacts, { kind }: Held): boolean {
  return life.commands.some((command) => command.do === "disable" && command.kinds.includes(kind));
}
