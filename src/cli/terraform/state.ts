/**
 * Reads a state of Terraform: the addresses of the resources, and the attributes with IDs of cloud objects. A state contains
 * passwords and keys. The reader drops all other attributes, and no error contains a part of the state.
 */
import type { Json, JsonObject } from "../../api/types.ts";
import { isObject } from "../../core/kind/differences.ts";
import { Failure } from "../failure.ts";
import { keyText, moduleAddress, modulePathOf } from "./address.ts";
import type { Key, ModulePath } from "./address.ts";

/** One instance of a resource. */
export interface StateResource {
  /** Address with keys, such as `module.web.linode_instance.node["a"]`. */
  address: string;
  /** Address in the configuration: without keys. */
  block: string;
  modules: ModulePath;
  type: string;
  name: string;
  key: Key | undefined;
  /** True for a former object that Terraform deletes with the next apply. */
  deposed: boolean;
  /** The identifying attributes; see `identifying`. */
  identity: Record<string, string>;
}

/** Returns the names of the attributes that identify a cloud object of a type. All other attributes are dropped. */
export type Identifying = (type: string) => readonly string[];

const howTo = "Write one with: terraform state pull > FILE, or: terraform show -json > FILE";

/** Reads a state of version 4, or the output of `terraform show -json`. Ignores data sources. Throws `Failure`. */
export function readState(content: Uint8Array, file: string, identifying: Identifying): StateResource[] {
  const state = parsed(textIn(content), file);
  try {
    if (typeof state["version"] === "number") return ofStateFile(state, file, identifying);
    if (typeof state["format_version"] === "string") return ofShow(state, file, identifying);
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(`${file} has resources in an unknown form. ${howTo}`);
  }
  if (state["encrypted_data"] !== undefined)
    throw new Failure(`${file} is encrypted. ${howTo}, which prints the decrypted state`);
  throw new Failure(`${file} is no state of Terraform. ${howTo}`);
}

/** A shell can write UTF-16, or a mark for the byte order. */
function textIn(content: Uint8Array): string {
  const isWide = content[0] === 0xff && content[1] === 0xfe;
  return new TextDecoder(isWide ? "utf-16le" : "utf-8").decode(content);
}

function parsed(text: string, file: string): JsonObject {
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    // The message of the parser quotes the text, which can contain a password.
    throw new Failure(`${file} is not JSON. ${howTo}`);
  }
  return isObject(value) ? value : {};
}

function ofStateFile(state: JsonObject, file: string, identifying: Identifying): StateResource[] {
  const { version } = state;
  if (version !== 4)
    throw new Failure(
      `${file} has version ${Number(version)} of the state, not 4. Run terraform apply with Terraform 1`,
    );
  return objectsIn(state["resources"]).flatMap((resource) => {
    const { type, name, mode, module } = resource;
    if (mode !== "managed") return [];
    const modules = typeof module === "string" ? modulePathOf(module) : [];
    return objectsIn(resource["instances"]).map((instance) => {
      const place = { modules, type: word(type), name: word(name), key: keyOf(instance["index_key"]) };
      return resourceAt(place, instance["deposed"] !== undefined, instance["attributes"], identifying);
    });
  });
}

function ofShow(state: JsonObject, file: string, identifying: Identifying): StateResource[] {
  if (state["planned_values"] !== undefined)
    throw new Failure(`${file} is a plan. ${howTo}, without the file of a plan`);
  const { values } = state;
  return isObject(values) && isObject(values["root_module"]) ? ofModule(values["root_module"], identifying) : [];
}

function ofModule(module: JsonObject, identifying: Identifying): StateResource[] {
  const { address } = module;
  const modules = typeof address === "string" ? modulePathOf(address) : [];
  const own = objectsIn(module["resources"])
    .filter(({ mode }) => mode === "managed")
    .map(({ type, name, index, deposed_key: deposed, values }) => {
      const place = { modules, type: word(type), name: word(name), key: keyOf(index) };
      return resourceAt(place, deposed !== undefined, values, identifying);
    });
  return [...own, ...objectsIn(module["child_modules"]).flatMap((child) => ofModule(child, identifying))];
}

type Place = Pick<StateResource, "modules" | "type" | "name" | "key">;

function resourceAt(
  place: Place,
  deposed: boolean,
  attributes: Json | undefined,
  identifying: Identifying,
): StateResource {
  const { modules, type, name, key } = place;
  const at = (keyed: boolean): string => [moduleAddress(modules, keyed), type, name].filter(Boolean).join(".");
  const values = isObject(attributes) ? attributes : {};
  const identity = identifying(type).flatMap((attribute): [string, string][] => {
    const value = values[attribute];
    return typeof value === "string" || typeof value === "number" ? [[attribute, String(value)]] : [];
  });
  const addresses = { address: `${at(true)}${keyText(key)}`, block: at(false) };
  return { ...place, ...addresses, deposed, identity: Object.fromEntries(identity) };
}

function objectsIn(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function keyOf(value: Json | undefined): Key | undefined {
  return typeof value === "string" || typeof value === "number" ? value : undefined;
}

/** Returns a name of the configuration. Throws `TypeError` for a text that cannot be one. */
function word(value: Json | undefined): string {
  if (typeof value === "string" && /^[\p{L}_][\p{L}\p{N}_-]*$/u.test(value)) return value;
  throw new TypeError("a resource has no valid name");
}
