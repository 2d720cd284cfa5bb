/**
 * Reads a state of Terraform: the addresses of the resources, and the attributes with IDs of cloud objects. A state contains
 * passwords and keys. The reader drops all other attributes, and no error contains a part of the state.
 */
import type { Json, JsonObject } from "../../api/types.ts";
import { isObject } from "../../core/kind/differences.ts";
import { Failure } from "../failure.ts";
import { isIdentifier, keyText, moduleAddress, modulePathOf } from "./address.ts";
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
  return objectsIn(state["resources"]).flatMap((resource, index) => {
    const { type, name, mode, module } = resource;
    if (mode !== "managed") return [];
    return objectsIn(resource["instances"]).map((instance) => {
      const place = placeOf({ module, type, name, key: instance["index_key"] }, `${file}: resources[${index}]`);
      return resourceAt(place, instance["deposed"] !== undefined, instance["attributes"], identifying);
    });
  });
}

function ofShow(state: JsonObject, file: string, identifying: Identifying): StateResource[] {
  if (state["planned_values"] !== undefined)
    throw new Failure(`${file} is a plan. ${howTo}, without the file of a plan`);
  const { values } = state;
  if (!isObject(values) || !isObject(values["root_module"])) return [];
  return ofModule(values["root_module"], `${file}: root_module`, identifying);
}

/** `at`: position of the module, for errors. */
function ofModule(module: JsonObject, at: string, identifying: Identifying): StateResource[] {
  const { address } = module;
  const own = objectsIn(module["resources"]).flatMap((resource, index) => {
    const { mode, type, name, index: key, deposed_key: deposed, values } = resource;
    if (mode !== "managed") return [];
    const place = placeOf({ module: address, type, name, key }, `${at}.resources[${index}]`);
    return [resourceAt(place, deposed !== undefined, values, identifying)];
  });
  const children = objectsIn(module["child_modules"]);
  const below = children.map((child, index) => ofModule(child, `${at}.child_modules[${index}]`, identifying));
  return [...own, ...below.flat()];
}

type Place = Pick<StateResource, "modules" | "type" | "name" | "key">;

/** Returns the parts of an address. An address becomes text of the configuration, so each part must be a valid one. */
function placeOf(given: Record<"module" | "type" | "name" | "key", Json | undefined>, at: string): Place {
  const { module, type, name, key } = given;
  const modules = modulesIn(module);
  if (modules && isIdentifier(type) && isIdentifier(name) && isKey(key)) return { modules, type, name, key };
  throw new Failure(`${at} has no valid address. ${howTo}`);
}

function modulesIn(module: Json | undefined): ModulePath | undefined {
  if (module === undefined) return [];
  try {
    return typeof module === "string" ? modulePathOf(module) : undefined;
  } catch {
    return undefined;
  }
}

function isKey(value: Json | undefined): value is Key | undefined {
  return value === undefined || typeof value === "string" || (Number.isSafeInteger(value) && Number(value) >= 0);
}

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
