import type { z } from "zod";
import type { JsonObject } from "../../api/types.ts";
import type { AdmissionRule } from "./schema.ts";

export interface Example<S> {
  name: string;
  doc: string;
  spec: S;
  /**
   * Specs with a new value for one mutable field, by the name of the field. The contract test applies the change, and expects a
   * request.
   */
  changes?: Record<string, Partial<S>>;
  /**
   * Objects that the example references, by kind and by the name of their example. `name`: the name of the object. Use `secrets`
   * and `configMaps` for data.
   */
  needs?: { kind: string; example: string; name?: string }[];
  secrets?: Record<string, Record<string, string>>;
  configMaps?: Record<string, Record<string, string>>;
  /** The demo applies the example. */
  sample?: boolean;
  /**
   * Only the reference shows the example, and only the API server checks the example. Use for names of resources that no test
   * creates, or for fields that further examples test.
   */
  shownOnly?: boolean;
}

export interface Column {
  name: string;
  jsonPath: string;
  type?: "string" | "integer" | "boolean" | "date";
  /** Description of the value. Required only if the name does not explain the value. */
  description?: string;
  /** With 1, kubectl shows the column only with `-o wide`. */
  priority?: number;
  /** A long text or a list. kubectl shows the column only with `-o wide`, and cut to 40 characters; see wide-columns.ts. */
  long?: boolean;
}

export interface Risk {
  when: string;
  message: string;
  /** Fields of the spec behind the risk, such as `management.protect`. The API server warns only if one of them changes. */
  fields: string[];
}

/**
 * Description of a resource for the API server and for readers. The generator uses only this part of a kind. All shapes have this
 * part.
 */
export interface Described {
  kind: string;
  plural: string;
  shortNames: string[];
  doc: string;
  /** Noun for the cloud object in messages, such as `SSH key`. Defaults to the words in `kind`. */
  noun?: string;
  /** `omitted`: the ID tells nothing to users, for example because an account has one cloud object of the kind. */
  idInWords?: "omitted";
  columns: Column[];
  spec: z.ZodObject;
  status: z.ZodObject;
  /** Defaults to `Namespaced`. Only the operator writes cluster-scoped objects. */
  scope?: "Namespaced" | "Cluster";
  admission?: AdmissionRule[];
  /**
   * Risky values. The API server warns if `when`, a CEL expression on `object`, is true. The API server does not refuse the
   * object.
   */
  risks?: Risk[];
  /**
   * The cloud object has data that the operator cannot restore. The operator reports a missing cloud object, and does not create
   * an empty one.
   */
  holdsData?: boolean;
  /**
   * Data that the cloud deletes with the cloud object, such as `the disk with its data`. The API server warns of a deletion, and
   * the setting `protectByDefault` protects the objects. Required with `holdsData`.
   */
  loses?: string;
  /** Requests for the kind can stop an instance. A plan says whether they do. */
  canStop?: boolean;
  /** Authors of this kind grant or withdraw access to the account. Only the admin role contains the kind. */
  guardsAccess?: boolean;
  examples: Example<Record<string, unknown>>[];
  /** Object as the operator writes it, for the reference. Only for a kind whose objects no user creates. */
  shown?: { name: string; labels: Record<string, string>; status: JsonObject };
}
