import type { Table } from "../server/store/store.ts";

export interface DomainRow {
  readonly id: number;
  readonly domain: string;
  readonly type: "master" | "slave";
  readonly status: "active" | "disabled";
  readonly soa_email: string | null;
  /** Empty if unset. */
  readonly description: string;
  readonly group: string;
  readonly master_ips: readonly string[];
  readonly axfr_ips: readonly string[];
  /** Seconds, like the next three fields. 0 means the default. */
  readonly expire_sec: number;
  readonly refresh_sec: number;
  readonly retry_sec: number;
  readonly ttl_sec: number;
  readonly tags: readonly string[];
  readonly created: number;
  readonly updated: number;
}

export const RECORD_TYPES = ["A", "AAAA", "NS", "MX", "CNAME", "TXT", "SRV", "PTR", "CAA"] as const;

/** The content of a record. Fields of other types are 0 or null. */
export interface RecordContent {
  readonly type: (typeof RECORD_TYPES)[number];
  readonly name: string;
  readonly target: string;
  readonly priority: number;
  readonly weight: number;
  readonly port: number;
  readonly service: string | null;
  readonly protocol: string | null;
  readonly tag: "issue" | "issuewild" | "iodef" | null;
  /** Seconds. 0 means the default of the domain. */
  readonly ttl_sec: number;
}

export interface RecordRow extends RecordContent {
  readonly id: number;
  /** ID of the domain. */
  readonly domainId: number;
  readonly created: number;
  readonly updated: number;
}

/** A zone on an external name server, added by the control side. Shared by all accounts. */
export interface RemoteZoneRow {
  readonly nameserver: string;
  readonly domain: string;
  readonly soa_email: string | null;
  /** Addresses allowed to transfer the zone. */
  readonly transferTo: readonly string[];
  readonly records: readonly RecordContent[];
}

export const DOMAINS: Table<DomainRow> = {
  name: "domain",
  key: (row) => row.id,
  indexes: { domain: (row) => row.domain, tags: (row) => row.tags },
};
export const RECORDS: Table<RecordRow> = {
  name: "record",
  key: (row) => row.id,
  parent: (row) => row.domainId,
  indexes: {
    name: (row) => `${row.domainId} ${row.name}`,
    target: (row) => `${row.domainId} ${row.target}`,
  },
};
export const REMOTE_ZONES: Table<RemoteZoneRow> = {
  name: "remote-zone",
  key: (row) => `${row.nameserver} ${row.domain}`.toLowerCase(),
};
