/**
 * Generates passwords. The operator stores a password in a Secret before the first use. If a user deletes the Secret
 * during a creation, only this process knows the password.
 */
import { nameOf } from "../kind/naming.ts";
import { randomInt } from "node:crypto";
import type { Secret } from "../../cluster/types.ts";
import { announce } from "../store/announce.ts";
import type { Connected, Located, Observed } from "../model/context.ts";
import { controls } from "../kind/resource.ts";
import { bytesIn, textIn } from "../kind/secret-value.ts";
import { ownSecret, refTo, refuseBytes, writeSecret } from "./own-secrets.ts";

/** Returns the value of a generated Secret. Generates and stores the value at the first call. */
export async function generatedSecret(ctx: Connected, { name, key }: { name: string; key: string }): Promise<string> {
  const there = await ownSecret(ctx, name);
  if (there) refuseBytes(there, key);
  const value = there && textIn(there, key);
  if (value !== undefined) return value;
  const password = generatePassword();
  await writeSecret(ctx, { name, there }, { data: { [key]: password } });
  return password;
}

/**
 * Remembers the generated values of a creation. `found`: a search found the cloud object, and only a former process
 * knew the values.
 */
export function noteGenerated(ctx: Located, found = false): void {
  if (!found) ctx.remembered.generated = undefined;
  for (const [field, reference] of Object.entries(ctx.kind.references ?? {})) {
    if (!("secret" in reference) || reference.secret(ctx.spec)) continue;
    const place = reference.generate?.(ctx.spec, ctx.object.metadata.name);
    if (!place || (found && ctx.remembered.generated)) continue;
    const value = found ? undefined : (ctx.desired.refs[field] as string | undefined);
    ctx.remembered.generated = { ...place, cure: reference.lost ?? "", ...(value !== undefined && { value }) };
  }
}

/**
 * Checks the Secret once after a creation. Writes a deleted Secret again if the value is known. Otherwise emits an
 * event. Does not change a Secret that a user created. Throws `KubeError`.
 */
export async function keepGenerated(ctx: Observed): Promise<void> {
  const { generated } = ctx.remembered;
  if (!generated || ctx.observing) return;
  const { name, key, value, cure } = generated;
  const created = nameOf(ctx.kind, ctx.id, ctx.row);
  const there = await ctx.environment.secrets.read(refTo(ctx, name));
  if (!there && value !== undefined) await writeSecret(ctx, { name, there }, { data: { [key]: value } });
  else if (!there) tellLost(ctx, `a user deleted Secret ${name} during the creation of ${created}`, cure);
  else if (!controls(ctx.object, there) || !isSameValue(there, key, value))
    tellLost(
      ctx,
      `a user replaced Secret ${name} during the creation of ${created}. The operator does not change the Secret`,
      cure,
    );
  ctx.remembered.generated = undefined;
}

/** Tests the value in the Secret. If a former process sent the value, the function accepts each value. */
function isSameValue(secret: Secret, key: string, value: string | undefined): boolean {
  return value === undefined ? bytesIn(secret, key) !== undefined : textIn(secret, key) === value;
}

function tellLost({ environment, object, id }: Observed, what: string, cure: string): void {
  const note = `${what}. The password of the cloud object is lost. ${cure}`;
  announce(environment, object, { type: "Warning", reason: "SecretLost", action: "Create", note, id });
}

/** Returns 32 characters with at least one of each class, as the strength test of the cloud API requires. */
function generatePassword(): string {
  const classes = ["abcdefghijkmnopqrstuvwxyz", "ABCDEFGHJKLMNPQRSTUVWXYZ", "23456789", "-_.+="] as const;
  const pick = (from: string): string => from.charAt(randomInt(from.length));
  const letters = Array.from({ length: 32 }, (_, index) => pick(classes[index] ?? classes.join("")));
  for (let last = letters.length - 1; last > 0; last -= 1) {
    const other = randomInt(last + 1);
    [letters[last], letters[other]] = [letters[other] ?? "", letters[last] ?? ""];
  }
  return letters.join("");
}
