/** References of an export: an address of an exported object becomes a reference to the object. */
import type { JsonObject } from "../../api/types.ts";
import type { FindExported } from "../../core/kind/export-part.ts";
import { copyOfInstance, instanceRow, ownRow } from "./address-ref.ts";
import type { AddressKind, Form } from "./address-ref.ts";
import { canonical } from "./address.ts";

/** Returns the SLAAC address of the row of an instance. */
function slaacAddress(row: JsonObject): string[] {
  const { ipv6 } = instanceRow.catch({}).parse(row);
  return ipv6 ? [canonical(ipv6.split("/")[0] ?? "")] : [];
}

/** Returns the first public address of the row of an instance, to which `Public` refers. */
function publicAddress(row: JsonObject): string[] {
  return firstAddress(row, "Public");
}

function privateAddress(row: JsonObject): string[] {
  return firstAddress(row, "Private");
}

function firstAddress(row: JsonObject, form: Form): string[] {
  const copied = copyOfInstance(form, instanceRow.catch({}).parse(row));
  return "value" in copied ? [copied.value] : [];
}

function publicID(row: JsonObject, id: string): string[] {
  return ownRow.catch({}).parse(row).public === false ? [] : [canonical(id)];
}

function privateID(row: JsonObject, id: string): string[] {
  return ownRow.catch({}).parse(row).public === false ? [canonical(id)] : [];
}

/** The value that a reference to a range copies. */
function rangeOf(row: JsonObject, id: string): string[] {
  const { prefix } = ownRow.catch({}).parse(row);
  return prefix ? [`${canonical(id)}/${prefix}`] : [];
}

type KeysOf = Parameters<FindExported>[1];

/** The keys of each form of a reference. */
const keysOfForms: [AddressKind, Form, KeysOf][] = [
  ["ComputeInstance", "Public", publicAddress],
  ["ComputeInstance", "Private", privateAddress],
  ["ComputeInstance", "IPv6", slaacAddress],
  ["IPAddress", "Public", publicID],
  ["IPAddress", "Private", privateID],
  ["IPv6Range", "IPv6", rangeOf],
];

/**
 * Returns the reference to an exported object whose address is the value, an address or a network. `forms`: the permitted forms. A
 * network with a whole length is a single address.
 */
export function referenceFor(
  find: FindExported,
  value: string,
  forms: readonly Form[] = ["Public", "Private", "IPv6"],
): JsonObject | undefined {
  const whole = value.includes(":") ? "/128" : "/32";
  const key = canonical(value.endsWith(whole) ? value.slice(0, -whole.length) : value);
  for (const [kind, address, keysOf] of keysOfForms) {
    const found = forms.includes(address) ? find(kind, keysOf, key) : undefined;
    if (found) return { kind, name: found.name, address };
  }
  return undefined;
}

/** Splits values into references to exported objects, and other values. At most `most` references. */
export function referencesAmong(find: FindExported, values: readonly string[], most: number, forms?: readonly Form[]) {
  const refs: JsonObject[] = [];
  const others = values.filter((value) => {
    const ref = refs.length < most ? referenceFor(find, value, forms) : undefined;
    if (ref) refs.push(ref);
    return ref === undefined;
  });
  return { refs, others };
}

/** Returns the reference to the exported instance that receives the traffic of a range, instead of its address. */
export function instanceOf({ routeTarget }: JsonObject, find: FindExported): JsonObject {
  const target = typeof routeTarget === "string" ? find("ComputeInstance", slaacAddress, routeTarget) : undefined;
  return target ? { instanceRef: { id: target.id }, routeTarget: null } : {};
}
