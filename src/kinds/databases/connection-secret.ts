/** Connection data of a database, as data of a Secret. Part 1, section 4.1; not-shown, section 2. */
import * as z from "zod";
import type { JsonObject } from "../../api/types.ts";
import type { Detail } from "../../core/kind/call.ts";
import { publishedName } from "../secret-name.ts";

const credentials = z.object({ username: z.string(), password: z.string() });
const certificate = z.object({ ca_certificate: z.string() });

interface Owner {
  name: string;
  spec: Parameters<typeof publishedName>[1] & { connectionSecretName?: string | undefined };
}

/** Keys of the Secret. `secondaryHost` and `ca` are present only if the database has a second node, or TLS. */
export const connectionKeys = ["host", "port", "username", "password", "uri", "secondaryHost", "ca"];

export const connectionNaming = { suffix: "-connection", short: "connectionSecretName" };

/** Standby is the newer name of secondary (not-shown, section 9). A response can contain either name, or both. */
interface Hosts {
  primary?: string | null | undefined;
  secondary?: string | null | undefined;
  standby?: string | null | undefined;
}

/** Returns the host of the second node, if the database has one. */
export function secondaryOf(hosts: Hosts | null | undefined): string | undefined {
  return hosts?.secondary || hosts?.standby || undefined;
}

export interface Database {
  id: string;
  wire: {
    hosts?: Hosts | null | undefined;
    port?: number | null | undefined;
    ssl_connection?: boolean | null | undefined;
  };
}

export const connectionSecret = {
  name: ({ name, spec }: Owner): string => publishedName(name, spec, spec.connectionSecretName, connectionNaming),

  reads: ({ id, wire }: Database): Record<string, Detail> => {
    const path = `/databases/mysql/instances/${id}`;
    return {
      credentials: { path: `${path}/credentials`, needs: ["username", "password"] },
      ...(wire.ssl_connection !== false && { ssl: { path: `${path}/ssl`, needs: ["ca_certificate"] } }),
    };
  },

  data: ({ wire }: Database, answers: Record<string, JsonObject>): Record<string, string> => {
    const { username, password } = credentials.parse(answers["credentials"]);
    const host = wire.hosts?.primary ?? "";
    const port = String(wire.port ?? 3306);
    const secondaryHost = secondaryOf(wire.hosts);
    const ca = certificate.safeParse(answers["ssl"]).data?.ca_certificate;
    return {
      host,
      port,
      username,
      password,
      uri: `mysql://${encodeURIComponent(username)}:${encodeURIComponent(password)}@${host}:${port}`,
      ...(secondaryHost !== undefined && { secondaryHost }),
      ...(ca !== undefined && { ca: Buffer.from(ca, "base64").toString("utf8") }),
    };
  },
};
