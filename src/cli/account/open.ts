/** The account of the cloud. The type of its client permits only reads. */
import { readFile } from "node:fs/promises";
import { createBrand } from "../../api/brand.ts";
import { createCloudClient } from "../../api/client.ts";
import { createDispatcher } from "../../api/http.ts";
import type { Proxy } from "../../api/http.ts";
import type { CloudClient, JsonObject } from "../../api/types.ts";
import { createSecretStore } from "../../cluster/secrets.ts";
import type { KubeObject } from "../../cluster/types.ts";
import { tokenOf } from "../../core/account/token.ts";
import type { AccountSpec } from "../../core/kind/account-spec.ts";
import type { Neutral } from "../../core/kind/neutral.ts";
import { resourceOf } from "../../core/kind/resource.ts";
import { cloudAccount } from "../../kinds/account/cloud-account.ts";
import { Failure, textOf } from "../failure.ts";
import type { Cluster } from "../cluster.ts";
import type { Flags } from "../flags.ts";
import type { Clock } from "../../queue/clock.ts";
import { endpointOf } from "./endpoint.ts";
import type { Endpoint } from "./endpoint.ts";

/** A client without mutating requests. */
export type Reader = Readonly<Pick<CloudClient, "get" | "list" | "scopes">>;

export interface Account {
  reader: Reader;
  /** Returns identifiers with \`compute\` instead of the brand word. */
  neutral: Neutral;
  /** `namespace/name` of the CloudAccount; undefined for a token file. */
  name: string | undefined;
  brandWord: string;
  /** Returns the scopes of the token from the last response. */
  scopes: () => string[];
  /** Returns the clock of the cloud from the last response. */
  serverTime: () => Date;
  close: () => Promise<void>;
}

/** The part of a session that opens an account. */
export interface Opening {
  flags: Flags;
  clock: Clock;
  signal: AbortSignal;
  environment: Readonly<Record<string, string | undefined>>;
  cluster: () => Cluster;
}

/** Opens the account of `--token-file`, or the CloudAccount of `--account` in the cluster. Throws `Failure`. */
export async function openAccount(session: Opening): Promise<Account> {
  const { tokenFile, endpoint } = session.flags;
  if (tokenFile === undefined) return ofCluster(session);
  if (endpoint === undefined)
    throw new Failure("--token-file needs the cloud API. Add --endpoint with its URL, such as https://api.example.com");
  return connect(session, endpointOf(session.flags), await tokenIn(tokenFile), undefined);
}

async function ofCluster(session: Opening): Promise<Account> {
  const cluster = session.cluster();
  const [name = "", namespace = cluster.namespace] = (session.flags.account ?? "default").split("/").toReversed();
  const object = await cluster.kube.get(resourceOf(cloudAccount), { namespace, name });
  if (!object)
    throw new Failure(
      `CloudAccount ${name} does not exist in namespace ${namespace}. Name one with --account, or use --token-file`,
    );
  const endpoint = endpointOf(session.flags, object.status);
  return connect(session, endpoint, await tokenInSecret(session, object), `${namespace}/${name}`);
}

async function tokenInSecret(session: Opening, { metadata: { namespace = "" }, spec }: KubeObject): Promise<string> {
  const account = spec as unknown as AccountSpec;
  const { name } = account.tokenSecretRef;
  const secret = await createSecretStore(session.cluster().kube)
    .read({ namespace, name })
    .catch((error: unknown) => {
      const why = `the token in Secret ${name} of namespace ${namespace} cannot be read: ${textOf(error)}`;
      throw new Failure(`${why}. Or use --token-file with a token that may only read`, { cause: error });
    });
  if (secret) return tokenOf(secret, account);
  throw new Failure(`Secret ${name} with the token does not exist in namespace ${namespace}. Create it`);
}

async function tokenIn(file: string): Promise<string> {
  const text = await readFile(file, "utf8").catch(({ code = "error" }: NodeJS.ErrnoException) => {
    throw new Failure(`--token-file: ${file} cannot be read (${code}). Give a file with the token alone`);
  });
  const token = text.trim();
  if (/^[\x21-\x7e]{1,4096}$/.test(token)) return token;
  throw new Failure(`--token-file: ${file} holds no token. Store the token alone, in one line`);
}

function connect(
  { clock, signal, environment }: Opening,
  { url: baseUrl, brandWord }: Endpoint,
  token: string,
  name: string | undefined,
): Account {
  const brand = createBrand(brandWord);
  const proxy = proxyOf(environment);
  const dispatcher = createDispatcher({ ...(proxy && { proxy }) });
  // No mutating call starts after its deadline, so a call that passes the type still fails.
  const deadline = (): number => -Infinity;
  const client = createCloudClient({ baseUrl, token: () => token, brandWord, clock, signal, dispatcher, deadline });
  return {
    reader: {
      get: (path, options) => client.get(path, options),
      list: (path, options) => client.list(path, options),
      scopes: () => client.scopes(),
    },
    neutral: (fields) => brand.fromWire(fields, "") as JsonObject,
    name,
    brandWord,
    scopes: () => client.scopes(),
    serverTime: () => client.serverTime(),
    close: () => dispatcher.close(),
  };
}

/** Returns the proxy of the user, in the variables that other programs read. */
function proxyOf(environment: Opening["environment"]): Proxy | undefined {
  const url = environment["HTTPS_PROXY"] ?? environment["https_proxy"];
  return url ? { url, except: environment["NO_PROXY"] ?? environment["no_proxy"] } : undefined;
}
