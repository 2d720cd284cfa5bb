/**
 * Keeps the values that only the response to a creation shows: in memory, then in the published Secret.
 *
 * A label of the Secret contains the ID and a digest of the values, so that the operator detects an edit. If the values
 * are lost, the operator replaces the cloud object.
 *
 * The digest is keyed if the operator uploads data to a URL in the Secret. Otherwise an editor of the Secret could
 * redirect the data. Other digests are not keyed. Otherwise a loss of the key would make the operator replace
 * the cloud objects.
 */
import { nameOf } from "../kind/naming.ts";
import { createHash } from "node:crypto";
import type { JsonObject } from "../../api/types.ts";
import type { Secret } from "../../cluster/types.ts";
import type { Found } from "../read/search.ts";
import type { Observed, Context } from "../model/context.ts";
import { digestOf } from "../model/context.ts";
import { valuesIn } from "./form.ts";
import type { Values } from "./form.ts";
import type { Kind } from "../kind/owned.ts";

const shownLabel = "cloudplatform.dev/published-for";

export function shownLabels(ctx: Context, id: string, values: Values): Values {
  const sorted = Object.entries(values).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const text = JSON.stringify([id, sorted]);
  const sum = ctx.kind.upload ? digestOf(ctx)(text) : createHash("sha256").update(text).digest("hex");
  // A label cannot contain a slash. The digest distinguishes IDs that are equal after the replacement.
  return { [shownLabel]: `${id.replaceAll(/[^\w.-]/g, "-")}.${sum.slice(0, 32)}` };
}

/** Returns the values of a response; undefined for a kind without such values. Throws `Error` if a value is missing. */
export function shownOnceIn(secret: Kind["secret"], answer: JsonObject): Values | undefined {
  if (!secret?.ofCreation) return undefined;
  const values = Object.entries(secret.ofCreation).map(([name, field]) => {
    const value = answer[field];
    if (typeof value !== "string" || value === "") throw new Error(`the response has no ${field}`);
    return [name, value] as const;
  });
  return Object.fromEntries(values);
}

/** Returns the values of the cloud object from the first matching Secret. */
export function shownOnceOf(ctx: Context, { id, row }: Found, holders: Secret[]): Values | undefined {
  const names = Object.keys(ctx.kind.secret?.ofCreation ?? {});
  for (const holder of holders) {
    const label = holder.metadata.labels?.[shownLabel];
    if (label === undefined) continue;
    const values = valuesIn(holder, names, (those) => label === shownLabels(ctx, id, those)[shownLabel]);
    if (values && fitsRow(ctx.kind, values, row)) return values;
  }
  return undefined;
}

/**
 * Returns false if the row shows a different value. The cloud API then reused the ID, and the values belong to a former
 * cloud object.
 */
export function fitsRow({ secret }: Pick<Kind, "secret">, values: Values, row: JsonObject): boolean {
  return Object.entries(secret?.ofCreation ?? {}).every(
    ([name, field]) => (row[field] ?? values[name]) === values[name],
  );
}

export function unpublished(ctx: Observed): string {
  return `the operator adopted ${nameOf(ctx.kind, ctx.id, ctx.row)}. The cloud API shows its secret only at the creation, so the operator publishes no Secret. ${renewing(ctx)}`;
}

export function renewing({ kind }: Observed): string {
  const field = Object.keys(kind.fields).find((name) => kind.fields[name]?.replaces) ?? "";
  return `To replace it and publish a Secret, change spec.${field}`;
}
