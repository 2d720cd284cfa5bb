import type { z } from "zod";
import type { JsonObject } from "../../api/types.ts";
import type { AdmissionRule } from "./schema.ts";

export interface Example<S> {
  name: string;
  doc: string;
  spec: S;
  /** Specs that differ from `spec` in one mutable field each: what the contract suite changes and expects to arrive. */
  changes?: Record<string, Partial<S>>;
  /** Objects of other kinds that it refers to, by kind and example name; a Secret or a ConfigMap by its data. */
  needs?: { kind: string; example: string; name?: string }[];
  secrets?: Record<string, Record<string, string>>;
  configMaps?: Record<string, Record<string, string>>;
  /** Part of the samples that the demo applies. */
  sample?: boolean;
  /** For readers, and accepted by the API server; no test carries it out, since its fields are carried out elsewhere, or it names what exists in no test. */
  shownOnly?: boolean;
}

export interface Column {
  name: string;
  jsonPath: string;
  type?: "string" | "integer" | "boolean" | "date";
  /** What it shows, where its name does not say all of it. */
  description?: string;
  /** 1 shows it only with `-o wide`. */
  priority?: number;
}

export interface Risk {
  when: string;
  message: string;
}

/** What the API server and a reader have to know of a resource, whatever drives it: all that the generator uses. */
export interface Described {
  kind: string;
  plural: string;
  shortNames: string[];
  doc: string;
  columns: Column[];
  spec: z.ZodObject;
  status: z.ZodObject;
  /** `Namespaced` if not given. What is cluster-scoped is written by the operator alone. */
  scope?: "Namespaced" | "Cluster";
  admission?: AdmissionRule[];
  /** What may be said and be regretted: `when` is CEL on `object`. The API server warns and refuses nothing. */
  risks?: Risk[];
  /** It holds data that nothing here can bring back: when it is missing, that is reported and it is not replaced by an empty one. */
  holdsData?: boolean;
  /** Who writes it gives or takes access to the account: no aggregated role may. */
  guardsAccess?: boolean;
  examples: Example<Record<string, unknown>>[];
  /** Where nobody applies an example: an object as the operator writes it, for the reference. */
  shown?: { name: string; labels: Record<string, string>; status: JsonObject };
}
