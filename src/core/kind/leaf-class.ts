/** Classes of the leaves of a spec. The class of a leaf decides which namespaces may write a value. */
import type { z } from "zod";

export type LeafClass =
  /** A plain value: a size, a text, the name of a new cloud object. */
  | { is: "value" }
  /** Name of an object of the cluster; `to`: the kind, or the kinds of which another field names one. */
  | { is: "reference"; to: string | readonly string[] }
  | CloudName
  /** An entry of a public list of the cloud; `of`: the list. */
  | { is: "catalog"; of: string }
  /** Name of a Secret or ConfigMap in the namespace of the object. */
  | { is: "secret"; use: "reads" | "publishes" }
  | { is: "configMap"; use: "reads" };

/** Name of a cloud object. A namespace that shares the account may use only names of cloud objects that the namespace owns. */
export interface CloudName {
  is: "cloudName";
  /** A kind, or a type of cloud object without a kind, such as `Volume`. `itself`: the cloud object to adopt. */
  of: string;
  /** Kinds that own cloud objects of this type. Defaults to `of`. */
  owners?: readonly string[];
  /** A regular expression for public values, which every namespace may use. */
  open?: string;
  /** Returns the identifier of the cloud object. Defaults to the value. */
  idOf?: (value: string) => string;
  /** Requests use the name only to create, and to carry out a change of the disruptive field `neededFor`. */
  creationOnly?: boolean;
  neededFor?: string;
  /** The name of a part of a cloud object to which the same spec refers. */
  within?: Within;
  /** The name belongs to the account or to the user of the token. `sharing.accountWide` permits such names. */
  covered?: boolean;
}

export interface Within {
  /** The reference, such as `instanceRef`. */
  field: string;
  /** The last segment of the path of the list of parts, such as `disks`. */
  list: string;
  /** The path answers one object instead of pages. */
  single?: boolean;
}

/** Marks a leaf with its class. */
export function classified<T extends z.ZodType>(schema: T, leaf: LeafClass): T {
  return schema.meta({ ...schema.meta(), leaf });
}

/** Marks a leaf as a plain value. */
export function asValue<T extends z.ZodType>(schema: T): T {
  return classified(schema, { is: "value" });
}

/** Marks a leaf as the name of a cloud object; `of`: a kind, or a type of cloud object without a kind. */
export function cloudName<T extends z.ZodType>(of: string, schema: T, more: Omit<CloudName, "is" | "of"> = {}): T {
  return classified(schema, { is: "cloudName", of, ...more });
}
