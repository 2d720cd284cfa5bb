/** Resolves the references of a spec: objects of the namespace with their IDs, and values of Secrets. */
import type { Resolved, SecretReferenceTo } from "../kind/reference.ts";
import { disrupts } from "../watch/dependents.ts";
import { Waiting } from "../kind/outcome.ts";
import { refuseBeside } from "../read/beside.ts";
import { requireNames } from "../read/permitted.ts";
import type { Needs } from "../read/external.ts";
import type { AnyDesired, Connected } from "../model/context.ts";
import { keptOf } from "../model/context.ts";
import { resolveObjects } from "../read/resolve-objects.ts";
import { generatedSecret } from "./generated.ts";
import { refuseBytes } from "./own-secrets.ts";
import { createValueBudget } from "./budget.ts";
import type { ValueBudget } from "./budget.ts";
import { bytesIn, requireText, textIn } from "../kind/secret-value.ts";

type ReferringSpec = Record<string, unknown>;

/**
 * Resolves the references of the kind. All names of a spec pass this check before a request uses them. Throws `Stalled`
 * if the namespace must not use a name, or if an existing cloud object excludes the creation. Throws `Waiting` for a
 * missing object, and `Invalid` for an impossible value.
 */
export async function resolveReferences(ctx: Connected, needs: Needs = {}): Promise<AnyDesired> {
  const { creating = false } = needs;
  await requireNames(ctx, { creating });
  const refs: Record<string, Resolved | Resolved[] | string | undefined> = {};
  const budget = createValueBudget(ctx.environment.secretValueBytes);
  for (const [name, reference] of Object.entries(ctx.kind.references ?? {})) {
    if (!creating && reference.creationOnly && !("secret" in reference && disruptionPending(ctx, reference.neededFor)))
      continue;
    refs[name] =
      "secret" in reference
        ? await resolveSecret(ctx, name, reference, { creating, budget })
        : await resolveObjects(ctx, name, reference, needs);
  }
  const { name, namespace = "" } = ctx.object.metadata;
  const wanted = { name, namespace, spec: ctx.spec, refs: refs as Record<string, never>, ...keptOf(ctx) };
  if (creating) await refuseBeside(ctx, wanted);
  return wanted;
}

async function resolveSecret(
  ctx: Connected,
  field: string,
  reference: SecretReferenceTo<ReferringSpec>,
  reading: Reading,
): Promise<string | undefined> {
  const { creating, budget } = reading;
  const { name, key = reference.key } = reference.secret(ctx.spec) ?? {};
  if (name !== undefined)
    return secretValue(ctx, { ...reference, field: reference.specField ?? field, name, key }, reading);
  const generated = reference.generate?.(ctx.spec, ctx.object.metadata.name);
  // Only a creation or a rebuild needs a generated value.
  if (!generated || !(creating || disruptionPending(ctx))) return undefined;
  const value = await generatedSecret(ctx, generated);
  budget({ field, from: "Secret", ...generated, value });
  if (reference.refuses) requireText({ field, from: "Secret", ...generated }, value, reference.refuses);
  return value;
}

interface Reading {
  creating: boolean;
  budget: ValueBudget;
}

interface ValueReference extends Pick<SecretReferenceTo<ReferringSpec>, "in" | "encoding" | "mostBytes" | "refuses"> {
  field: string;
  name: string;
  key: string;
}

/**
 * Returns the value; undefined if a user removed the Secret after the creation. A step that needs the value reports the
 * missing Secret.
 */
async function secretValue(
  ctx: Connected,
  { field, name, key, encoding, mostBytes, refuses, in: from = "Secret" }: ValueReference,
  { creating, budget }: Reading,
): Promise<string | undefined> {
  const { environment, object } = ctx;
  const namespace = object.metadata.namespace ?? "";
  const ref = { namespace, name };
  const found =
    from === "Secret" ? await environment.secrets.read(ref, `spec.${field}`) : await environment.configMaps.read(ref);
  const value = found && (encoding ? bytesIn(found, key) : textIn(found, key));
  if (value === undefined && found && (creating || disruptionPending(ctx))) refuseBytes(found, key, `spec.${field}`);
  if (value === undefined && creating) {
    const what = found ? `${from} ${name} has no key ${key}` : `${from} ${name} does not exist`;
    const cure = found ? "Store the value under this key" : "Create it";
    const reason = from === "Secret" ? "WaitingForSecret" : "WaitingForReference";
    throw new Waiting(reason, `spec.${field}: ${what} in namespace ${namespace}. ${cure}, or correct the reference`);
  }
  if (value === undefined) return undefined;
  budget({ field, from, name, key, value, encoding, mostBytes });
  // A deletion does not need the value.
  if (refuses && object.metadata.deletionTimestamp === undefined)
    requireText({ field, from, name, key }, value, refuses);
  return value;
}

function disruptionPending({ kind, spec, next }: Connected, field?: string): boolean {
  return disrupts(kind, spec, next.applied, field);
}
