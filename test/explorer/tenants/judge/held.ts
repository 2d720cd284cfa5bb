/** Rules about accounts that stay or go, duplicates, plans and ends. */
import type { KubeObject } from "../../../../src/cluster/types.ts";
import type { CloudRow } from "../../../world/rows.ts";
import type { Held } from "../books.ts";
import { namespaceOf } from "../cast.ts";
import { authorOf, during, isMutating, isThere, makerOf, numbered, rowsOf, wishOf } from "./facts.ts";
import type { Rule, TenantFacts } from "./facts.ts";

/** Collections of billable rows. */
const billable = ["/compute/instances", "/networking/ips", "/object-storage/buckets", "/images"];

/** Limit for bytes of a Secret in one request. */
const mostBytes = 65_536;

export const held: { [name: string]: Rule } = {
  "only objects that hold something keep an account": ({ world, books }) => {
    const account = world.cluster.get("CloudAccount", "default", namespaceOf.shop);
    if (account?.metadata.deletionTimestamp === undefined) return [];
    const users = books.objects.filter((one) => one.removedAt === Infinity && usesAccount(one));
    if (users.some(({ object }) => (object.metadata.finalizers ?? []).length > 0)) return [];
    const kinds = [...new Set(users.map(({ namespace }) => (namespace === namespaceOf.shop ? "own" : "foreign")))];
    const detail = users.map(({ kind, namespace, name }) => `${kind} ${namespace}/${name}`).join(", ");
    return [{ kind: "CloudAccount", what: `kept by ${kinds.toSorted().join(" and ")} objects`, detail }];
  },

  "an account stays while an object holds something": (facts) =>
    facts.books.objects
      .filter(({ kind, removedAt }) => kind === "CloudAccount" && removedAt !== Infinity)
      .flatMap(({ removedAt }) => {
        const left = facts.books.objects.filter(
          (one) =>
            one.kind !== "CloudAccount" &&
            usesAccount(one) &&
            mayKeep(facts, one, removedAt) &&
            one.createdAt < removedAt &&
            one.removedAt > removedAt &&
            rowsOf(facts, one).some((row) => isThere(row, removedAt)),
        );
        return left.slice(0, 1).map(({ kind, namespace, name }) => ({
          kind,
          what: isDisabledIn(facts, kind) ? "released, its kind is disabled" : "released",
          detail: `${kind} ${namespace}/${name}`,
        }));
      }),

  "an object has at most one billable cloud object": (facts) => {
    const made = facts.world.cloud.history().filter((row) => !row.removed && row.madeIn !== undefined);
    const billed = made.filter(({ path }) => billable.some((one) => path === one));
    const ofAuthor = (row: CloudRow) => {
      const author = makerOf(facts, row);
      return author ? `${author.kind}/${author.namespace}/${author.name} ${row.path}` : "";
    };
    return [...Map.groupBy(billed, ofAuthor)]
      .filter(([key, rows]) => key !== "" && rows.length > 1)
      .map(([key, rows]) => ({
        kind: key.split("/")[0] ?? "",
        what: "created twice",
        detail: `${key}: ${rows.map(({ id }) => id).join(", ")}`,
      }));
  },

  "an approved plan sends the reviewed bytes": ({ world, books }) =>
    world.cloud.ledger().flatMap((entry) => {
      const author = authorOf(entry);
      if (!author || !isMutating(entry) || entry.content === undefined) return [];
      const sent = Buffer.from(entry.content, "base64").toString();
      return books.objects
        .filter((one) => one.kind === author.kind && one.namespace === author.namespace && one.name === author.name)
        .filter(({ specs }) => policyAt(specs, entry.atMs) === "Plan")
        .flatMap(({ uid }) => books.reviews.findLast((one) => one.uid === uid && one.atMs <= entry.atMs) ?? [])
        .filter(({ values }) => !values.some((value) => sent.includes(value)))
        .map(() => ({ kind: author.kind, what: "other bytes than at the review", detail: numbered(entry) }));
    }),

  "a request contains at most 64 KiB of a Secret": ({ world }) =>
    world.cloud.ledger().flatMap((entry) => {
      const { user_data: data = "" } = (entry.body?.["metadata"] ?? {}) as { user_data?: string };
      const bytes = Buffer.from(data, "base64").byteLength;
      if (bytes <= mostBytes) return [];
      return [
        { kind: authorOf(entry)?.kind ?? "none", what: "too much user data", detail: `${numbered(entry)} ${bytes}` },
      ];
    }),

  "every object ends with a reason that a user can act on": ({ books, life }) => [
    ...books.objects
      .filter(({ removedAt }) => removedAt === Infinity)
      .filter(({ object }) => transient.has(reasonOf(object)))
      .map((one) => ({ kind: one.kind, what: `still ${reasonOf(one.object)}`, detail: messageOf(one.object) })),
    ...books.objects
      .filter(({ removedAt, deletingAt }) => removedAt === Infinity && deletingAt === Infinity)
      .filter((one) => wishOf(life, one)?.invalid)
      .filter(({ object }) => !understood.has(reasonOf(object)))
      .map((one) => ({
        kind: one.kind,
        what: `a spec that cannot be meant is ${reasonOf(one.object)}`,
        detail: messageOf(one.object),
      })),
  ],

  "no internal error": ({ world }) =>
    world
      .logged()
      .filter(({ level }) => level === "error")
      .slice(0, 1)
      .map(({ message, fields }) => {
        const { key = "", error } = fields as { key?: string; error?: Error };
        return {
          kind: key.split("/")[0] ?? "",
          what: `${message}: ${(error?.message ?? "").replaceAll(/\d+/g, "*").slice(0, 80)}`,
          detail: `${key}: ${error?.stack}`,
        };
      }),
};

const transient = new Set(["ClusterUnavailable", "CloudUnavailable", "InternalError"]);

/** Acceptable reasons for a wrong spec. The operator checks the account before the rest of the spec. */
const understood = new Set(["InvalidSpec", "NotShared", "Paused", "WaitingForAccount", "TokenMissing", "none"]);

function usesAccount({ kind, namespace, object }: Held): boolean {
  const { accountRef } = (object.spec ?? {}) as { accountRef?: { name: string; namespace?: string } };
  const named = `${accountRef?.namespace ?? namespace}/${accountRef?.name ?? "default"}`;
  return kind !== "CloudAccount" && named === `${namespaceOf.shop}/default`;
}

/** The owner of an account withdraws the sharing to release the account from the objects of a foreign namespace. */
function mayKeep({ books: { grants } }: TenantFacts, { namespace }: Held, atMs: number): boolean {
  if (namespace === namespaceOf.shop) return true;
  return during(grants, atMs, atMs).every(({ namespaces }) => namespaces.includes(namespace));
}

function isDisabledIn({ life }: TenantFacts, kind: string): boolean {
  return life.commands.some((command) => command.do === "disable" && command.kinds.includes(kind));
}

function policyAt(specs: Held["specs"], atMs: number): string | undefined {
  const { value } = specs.findLast((one) => one.atMs <= atMs) ?? {};
  return (value?.["management"] as { policy?: string } | undefined)?.policy;
}

function readyOf({ status }: KubeObject): { reason?: string; message?: string } {
  const conditions = (status?.["conditions"] ?? []) as { type: string; reason: string; message: string }[];
  return conditions.find(({ type }) => type === "Ready") ?? {};
}

function reasonOf(object: KubeObject): string {
  return readyOf(object).reason ?? "none";
}

function messageOf(object: KubeObject): string {
  return `${object.metadata.namespace}/${object.metadata.name}: ${readyOf(object).message ?? ""}`;
}
