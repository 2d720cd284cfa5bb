/** Whose token it is, and what it may do: three reads at most. */
import * as z from "zod";
import type { CloudClient } from "../../api/types.ts";
import type { AccountSpec, Identity } from "../kind/account-spec.ts";
import { isHttpError, Stalled, Waiting } from "../kind/outcome.ts";

const profile = z.object({
  uid: z.union([z.int(), z.string().regex(/^\d+$/).transform(Number)]),
  username: z.string(),
  restricted: z.boolean().nullish(),
});
const grants = z.object({ global: z.record(z.string(), z.union([z.boolean(), z.string(), z.null()])) });
const account = z.object({ euuid: z.string().nullish(), capabilities: z.array(z.unknown()).nullish() });

export interface Probe {
  identity: Identity;
  username: string;
  restricted: boolean;
  scopes: string[];
  grants: string[];
  capabilities: string[];
}

/**
 * Reads profile, grants (restricted users) and account (where the token may). Throws `HttpError`, and the rejection of
 * the token where GET /profile answers 401: any other call may be answered so by a gateway.
 */
export async function probe(client: CloudClient, spec: AccountSpec, namespace: string): Promise<Probe> {
  const { uid, username, restricted } = expected(profile, "/profile", await readProfile(client, spec, namespace));
  const { euuid, capabilities } = await readAccount(client);
  const held = restricted === false ? undefined : await readGrants(client);
  return {
    identity: { uid, ...(euuid && { euuid }) },
    username,
    // Only an unrestricted user has no grants to list: part 1, section 4.2.
    restricted: restricted ?? held !== undefined,
    scopes: client.scopes().toSorted(),
    grants: held ?? [],
    capabilities: (capabilities ?? []).filter((one) => typeof one === "string").toSorted(),
  };
}

/** What an account says whose token is rejected. */
export function rejectionOf({ tokenSecretRef: { name, key = "token" } }: AccountSpec, namespace: string): Stalled {
  return new Stalled(
    "TokenRejected",
    `spec.tokenSecretRef: the cloud API rejects the token (401) that is stored under key ${key} of Secret ${name} in namespace ${namespace}. Nothing is read or changed. Store a valid token there`,
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

/** A response of another form is that of a cloud API that does not answer as it should. */
function expected<T extends z.ZodType>(schema: T, path: string, answer: unknown): z.output<T> {
  const read = schema.safeParse(answer);
  if (read.success) return read.data;
  const fields = read.error.issues.map((issue) => issue.path.join(".") || "the answer");
  const message = `GET ${path} got a response of an unexpected form: ${fields.slice(0, 5).join(", ")}`;
  throw new Waiting("CloudUnavailable", message, undefined, { transient: true });
}

/** Global grants that the user has; a level such as that of `account_access` stands behind a colon. Undefined for an unrestricted one. */
async function readGrants(client: CloudClient): Promise<string[] | undefined> {
  const answer = await client.get("/profile/grants", { urgent: true });
  if (answer === undefined) return undefined;
  const { global } = expected(grants, "/profile/grants", answer);
  const held = Object.entries(global).filter(([, value]) => value !== false && value !== null);
  return held.map(([name, value]) => (value === true ? name : `${name}:${value}`)).toSorted();
}

/** Without the scope or the grant for it there is no account to see. */
async function readAccount(client: CloudClient): Promise<z.output<typeof account>> {
  try {
    return expected(account, "/account", await client.get("/account", { urgent: true }));
  } catch (error) {
    if (isHttpError(error) && (error.status === 403 || error.status === 404)) return {};
    throw error;
  }
}
