/** Writes the sections of a kind's page about drift, price and permissions, from the definition of the kind. */
import type { Described } from "../core/kind/described.ts";
import { leavesOf } from "../core/kind/leaves.ts";
import type { Kind } from "../core/kind/owned.ts";
import type { Reach } from "../core/kind/reach.ts";
import scopes from "../kinds/scopes.json" with { type: "json" };
import { resourceOf } from "./crd.ts";
import { delays, fieldsByColumn, isCompared } from "./drift-guide.ts";
import { isKind, isMirror } from "./kinds-guide.ts";
import { code, table } from "./markdown.ts";
import { peopleRules } from "./rbac.ts";

/** Returns the detection time of a change by a different client, field by field. */
export function driftOf(kind: Described): string {
  if (isMirror(kind))
    return "The operator copies a list of the cloud. A copy that differs from the list is overwritten.\n";
  if (!isCompared(kind)) return notCompared(kind);
  const rows = [...fieldsByColumn(kind)].map(([column, names]) => [
    names.map((name) => code(`spec.${name}`)).join(", "),
    `**${column}**: ${delays[column]}`,
  ]);
  const disruptive = "allowDisruption" in kind.spec.shape;
  return `If another client changes the cloud object, the operator corrects the difference. With \`spec.management.driftPolicy: Report\`, the operator only reports the difference in the condition \`Drifted\`.${disruptive ? " A correction that stops or rebuilds the cloud object needs an entry in `spec.allowDisruption`." : ""}\n\n${table(["field", "seen by, with the longest delay"], rows)}`;
}

function notCompared(kind: Described): string {
  if (!isKind(kind))
    return "A CloudAccount has no cloud object to compare. The operator checks the token and the identity of the account.\n";
  if (kind.shape === "survey") return "The operator only reads the account. There is no desired state to compare.\n";
  return "The operator runs the operation once, and compares nothing afterwards.\n";
}

/** Returns what the definition says about costs. The cloud API has prices only in the list of types. */
export function priceOf(kind: Described): string {
  const named = costsIn(kind);
  return [
    `${chargeOf(kind)}\n`,
    ...(named.length > 0 ? [`Fields that concern the cost:\n\n${table(["field", "description"], named)}`] : []),
  ].join("\n");
}

function chargeOf(kind: Described): string {
  if (!isKind(kind)) return "The objects cost nothing: the operator only reads.";
  const type = leavesOf(kind.spec).find(({ leaf }) => leaf?.is === "catalog" && leaf.of === "ComputeType");
  const types = `\`kubectl get cptypes\` shows the prices per hour and per month that the cloud API lists for the values of \`spec.${type?.path}\`.`;
  const unknown = "The cloud API shows no price for this kind: see the price list of your service.";
  const { shape, billable } = kind;
  if (shape === "survey") return "Reading the account costs nothing.";
  if (shape === "setting") return `The operator creates no cloud object. ${unknown}`;
  if (shape === "once")
    return type ? types : `The operator runs the operation once, and never repeats it without a decision. ${unknown}`;
  const once =
    "The operator treats the cloud object as billable: it never sends a second create request while the result of the first is unknown.";
  if (type) return `${once} ${types}`;
  return billable ? `${once} ${unknown}` : unknown;
}

/** Returns the fields whose descriptions mention a price or a cost. */
function costsIn(kind: Described): string[][] {
  const { spec, status } = resourceOf(kind);
  return Object.entries({ spec, status }).flatMap(([root, { schema }]) =>
    Object.entries(schema.properties ?? {}).flatMap(([name, { description = "" }]) =>
      /\b(costs?|prices?)\b/i.test(description) ? [[code(`${root}.${name}`), description]] : [],
    ),
  );
}

/** Returns the scopes of the token, the roles of users, and the sharing that a tenant needs. */
export function permissionsOf(kinds: Described[], kind: Described): string {
  const all = new Set(["account:read_only", "events:read_only", ...scopesOf(kind)]);
  const needed = [...all].filter(
    (scope) => !(scope.endsWith(":read_only") && all.has(scope.replace("_only", "_write"))),
  );
  const token = isMirror(kind)
    ? unrestricted(kind)
    : `The token of the CloudAccount needs these scopes: ${needed.map(code).join(", ")}. A referenced object needs the scopes of its kind.`;
  const roles = Object.entries(peopleRules(kinds)).flatMap(([role, rules]) =>
    rules
      .filter(({ resources }) => resources.includes(kind.plural))
      .map(({ verbs }) => [code(`cloud-platform-operator-${role}`), verbs.map(code).join(", ")]),
  );
  return [
    `${token}\n`,
    `${["Roles for users of the cluster", guarded(kind)].filter((text) => text !== "").join(". ")}:\n\n${table(["ClusterRole", "verbs"], roles)}`,
    ...sharingOf(kind),
  ].join("\n");
}

function scopesOf({ kind }: Described): string[] {
  return (scopes as Record<string, string[] | undefined>)[kind] ?? [];
}

function unrestricted({ unrestricted: needed }: { unrestricted?: boolean }): string {
  return needed === true
    ? "The operator reads the list with the oldest connected CloudAccount whose token belongs to an unrestricted user."
    : "The operator reads the list without a token.";
}

function guarded({ guardsAccess }: Described): string {
  return guardsAccess === true
    ? "The kind can grant or withdraw access to the account, so the editor role does not contain it"
    : "";
}

const sharing: Record<Reach, string> = {
  own: "An object in another namespace than its CloudAccount needs the namespace in `spec.sharing.namespaces` of the CloudAccount.",
  existing: "An object in another namespace than its CloudAccount also needs the namespace in `spec.sharing.existing`.",
  account:
    "An object in another namespace than its CloudAccount also needs the namespace in `spec.sharing.accountWide`, because the kind acts on the whole account or on the user of the token.",
};

function sharingOf(kind: Described): string[] {
  if (!isKind(kind)) return [];
  const guide = "See [Credentials and tenancy](../docs/credentials-and-tenancy.md).\n";
  return [`${sentencesOf(kind).join(" ")} ${guide}`];
}

function sentencesOf({ reach, setting }: Kind): string[] {
  const operator = setting ? [`The operator setting \`${setting}\` must be on.`] : [];
  if (typeof reach === "function")
    return [
      ...operator,
      sharing.own,
      "The spec decides whether an object also needs `spec.sharing.existing` or `spec.sharing.accountWide`.",
    ];
  return [...operator, ...new Set([sharing.own, sharing[reach]])];
}
