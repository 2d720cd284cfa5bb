import { loadOf } from "../server/load.ts";
import type { Load } from "../server/load.ts";
import { epoch } from "../server/wire.ts";
import { DOMAINS, RECORDS } from "./tables.ts";
import type { DomainRow, RecordRow } from "./tables.ts";

interface Stamps {
  readonly created: string;
  readonly updated: string;
}

/** Loads domains and records. */
export const domainLoads: readonly Load[] = [
  loadOf<Omit<DomainRow, keyof Stamps> & Stamps & { errors?: string }>({
    from: "/domains",
    load({ world, account }, { errors: _errors, created, updated, ...domain }) {
      world.store.put(DOMAINS, account, { ...domain, created: epoch(created), updated: epoch(updated) });
    },
  }),
  loadOf<Omit<RecordRow, keyof Stamps | "domainId"> & Stamps>({
    from: "/domains/{domainId}/records",
    load({ world, account }, { created, updated, ...record }, { domainId }) {
      const times = { created: epoch(created), updated: epoch(updated) };
      world.store.put(RECORDS, account, { ...record, domainId: Number(domainId), ...times });
    },
  }),
];
