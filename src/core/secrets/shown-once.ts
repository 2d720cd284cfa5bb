/**
 * What the response to a creation shows once: in memory until it is in the published Secret, and read from there since.
 *
 * A label of the Secret names the cloud object and the digest of these values, so that it can be told whether the Secret
 * still holds them. What it does not hold nobody knows: the cloud object is deleted, and another one is created.
 * Where the operator itself sends data to what a Secret holds, the digest is keyed: whoever may write the Secret could
 * have it sent anywhere else. Other digests are not, since all that they tell of would be replaced after the key was lost.
 */
import { createHash } from "node:crypto";
import type { JsonObject } from "../../api/types.ts";
import type { Secret } from "../../cluster/types.ts";
import type { Found } from "../read/search.ts";
import type { Observed, Reconciliation } from "../model/context.ts";
import { digestOf } from "../model/context.ts";
import { valuesIn } from "./form.ts";
import type { Values } from "./form.ts";
import type { Kind } from "../kind/owned.ts";

const shownLabel = "cloudplatform.dev/published-for";

/** The label of a Secret with these values of this cloud object. */
export function shownLabels(at: Reconciliation, id: string, values: Values): Values {
  const sorted = Object.entries(values).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const text = JSON.stringify([id, sorted]);
  const sum = at.kind.upload ? digestOf(at)(text) : createHash("sha256").update(text).digest("hex");
  // A label has no slash; the digest tells ids apart that look the same then.
  return { [shownLabel]: `${id.replaceAll(/[^\w.-]/g, "-")}.${sum.slice(0, 32)}` };
}

/** The values of a response, for the Secret; undefined for a kind of which nothing is shown once. Throws where one is missing. */
export function shownIn(secret: Kind["secret"], answer: JsonObject): Values | undefined {
  if (!secret?.ofCreation) return undefined;
  const values = Object.entries(secret.ofCreation).map(([name, field]) => {
    const value = answer[field];
    if (typeof value !== "string" || value === "") throw new Error(`the response has no ${field}`);
    return [name, value] as const;
  });
  return Object.fromEntries(values);
}

/** The values that one of these Secrets holds of this cloud object; undefined where none does. */
export function shownOf(at: Reconciliation, { id, row }: Found, holders: Secret[]): Values | undefined {
  const names = Object.keys(at.kind.secret?.ofCreation ?? {});
  for (const holder of holders) {
    const label = holder.metadata.labels?.[shownLabel];
    if (label === undefined) continue;
    const values = valuesIn(holder, names, (those) => label === shownLabels(at, id, those)[shownLabel]);
    if (values && fitsRow(at.kind, values, row)) return values;
  }
  return undefined;
}

/** False where the row shows one of them otherwise: its id was used before, and they are of what had it then. */
export function fitsRow({ secret }: Pick<Kind, "secret">, values: Values, row: JsonObject): boolean {
  return Object.entries(secret?.ofCreation ?? {}).every(
    ([name, field]) => (row[field] ?? values[name]) === values[name],
  );
}

/** For the condition of an object whose cloud object somebody else created. */
export function unpublished(at: Observed): string {
  return `${at.id} was adopted, and the cloud API shows its secret only when it is created: no Secret is published. ${renewing(at)}`;
}

export function renewing({ kind }: Observed): string {
  const field = Object.keys(kind.fields).find((name) => kind.fields[name]?.replaces) ?? "";
  return `To replace it with a new one and publish a Secret, change spec.${field}`;
}
