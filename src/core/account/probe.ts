/** Proves a token with at most three reads: identity, scopes and grants. */
import * as z from "zod";
import type { CloudClient } from "../../api/types.ts";
import type { AccountSpec, Identity } from "../kind/account-spec.ts";
import { isHttpError, Stalled, Waiting } from "../kind/outcome.ts";

const profile = z.object({
  uid: z.union([z.int(), z.string().regex(/^\d+$/).transform(Number)]),
  username: z.string(),
  restricted: z.boolean().nullish(),
});
const grantsSchema = z.object({ global: z.record(z.string(), z.union([z.boolean(), z.string(), z.null()])) });
const account = z.object({ euuid: z.string().nullish(), capabilities: z.array(z.unknown()).nullish() });

export interface Probe {
  identity: Identity;
  username: string;
  restricted: boolean;
  scopes: string[];
  grants: string[];
  features: string[];
}

/**
 * Reads the profile, the grants of a restricted user, and the account if the token permits the read. Throws `HttpError`. Throws
 * `Stalled` with `TokenRejected` if GET /profile returns 401. For other paths, a gateway can return 401.
 */
export async function probe(client: CloudClient, spec: AccountSpec, namespace: string): Promise<Probe> {
  const { uid, username, restricted } = expected(
    profile,
    "the profile of the user",
    await readProfile(client, spec, namespace),
  );
  const { euuid, capabilities } = await readAccount(client);
  const held = restricted === false ? undefined : await readGrants(client);
  return {
    identity: { uid, ...(euuid && { euuid }) },
    username,
    // Only a restricted user has a list of grants: part 1, section 4.2.
    restricted: restricted ?? held !== undefined,
    scopes: client.scopes().toSorted(),
    grants: held ?? [],
    features: (capabilities ?? []).filter((one) => typeof one === "string").toSorted(),
  };
}

/** Returns the error of an account with a rejected token. */
export function rejectionOf({ tokenSecretRef: { name, key = "token" } }: AccountSpec, namespace: string): Stalled {
  return new Stalled(
    "TokenRejected",
    `spec.tokenSecretRef: the cloud API rejects the token (401) that is stored under key ${key} of Secret ${name} in namespace ${namespace}. The operator reads and changes nothing. Store a valid token there`,
  );
}

export function isRejection(error: unknown): error is Stalled {
  return error instanceof Stalled && error.reason === "TokenRejected";
}

async function readProfile(client: CloudClient, spec: AccountSpec, namespace: string): Promise<unknown> {
  try {
    return await client.get("/profile", { urgent: true });
  } catch (error) {
    if (isHttpError(error) && error.status === 401) throw rejectionOf(spec, namespace);
    throw error;
  }
}

/** Parses a response. Throws `Waiting` for an unexpected form, because a failing cloud API can return any form. */
function expected<T extends z.ZodType>(schema: T, what: string, answer: unknown): z.output<T> {
  const read = schema.safeParse(answer);
  if (read.success) return read.data;
  const fields = read.error.issues.map((issue) => issue.path.join(".") || "the answer");
  const message = `the cloud API returned ${what} in an unexpected form: ${fields.slice(0, 5).join(", ")}`;
  throw new Waiting("CloudUnavailable", message, undefined, { transient: true });
}

/**
 * Returns the global grants of the user. A grant with a level has the form `account_access:read_only`. Returns undefined for an
 * unrestricted user.
 */
async function readGrants(client: CloudClient): Promise<string[] | undefined> {
  const answer = await client.get("/profile/grants", { urgent: true });
  if (answer === undefined) return undefined;
  const { global } = expected(grantsSchema, "the grants of the user", answer);
  const held = Object.entries(global).filter(([, value]) => value !== false && value !== null);
  return held.map(([name, value]) => (value === true ? name : `${name}:${value}`)).toSorted();
}

/** Reads the account. Returns an empty object if the scope or the grant is missing. */
async function readAccount(client: CloudClient): Promise<z.output<typeof account>> {
  try {
    return expected(account, "the account", await client.get("/account", { urgent: true }));
  } catch (error) {
    if (isHttpError(error) && (error.status === 403 || error.status === 404)) return {};
    throw error;
  }
}
