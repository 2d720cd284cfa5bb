/** Whose token it is, and what it may do: three reads at most. */
import type { CloudClient, Json, JsonObject } from "../api/types.ts";
import type { Identity } from "./account-spec.ts";
import { isHttpError } from "./outcome.ts";

export interface Probe {
  identity: Identity;
  username: string;
  restricted: boolean;
  scopes: string[];
  grants: string[];
  capabilities: string[];
}

/** Reads profile, grants (restricted users) and account (where the token may). Throws `HttpError`; 401 is a rejected token. */
export async function probe(client: CloudClient): Promise<Probe> {
  const profile = asObject(await client.get("/profile", { urgent: true }));
  const restricted = profile["restricted"] === true;
  const grants = restricted ? asObject(await client.get("/profile/grants", { urgent: true })) : {};
  const account = await readAccount(client);
  const euuid = account["euuid"];
  return {
    identity: { uid: Number(profile["uid"]), ...(typeof euuid === "string" && { euuid }) },
    username: String(profile["username"]),
    restricted,
    scopes: client.scopes().sort(),
    grants: Object.entries(asObject(grants["global"]))
      .filter(([, value]) => value === true || typeof value === "string")
      .map(([name, value]) => (value === true ? name : `${name}:${String(value)}`))
      .sort(),
    capabilities: Array.isArray(account["capabilities"]) ? account["capabilities"].map(String).sort() : [],
  };
}

/** Without the scope or the grant for it there is no account to see. */
async function readAccount(client: CloudClient): Promise<JsonObject> {
  try {
    return asObject(await client.get("/account", { urgent: true }));
  } catch (error) {
    if (isHttpError(error) && (error.status === 403 || error.status === 404)) return {};
    throw error;
  }
}

function asObject(value: Json | undefined): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}
