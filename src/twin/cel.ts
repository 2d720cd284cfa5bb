/** Evaluates the CEL rules of definitions as the API server does, with its functions for addresses, lists and texts. */
import { isIP } from "node:net";
import { Environment } from "@marcbachmann/cel-js";
import { celName } from "../generate/cel.ts";
import type { OpenApi } from "../generate/open-api.ts";

class Address {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

class Network {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

const base = new Environment({ unlistedVariablesAreDyn: true })
  .registerType("net.IP", Address)
  .registerType("net.CIDR", Network)
  .registerFunction("isIP(string): bool", isAddress)
  .registerFunction("isCIDR(string): bool", isNetwork)
  .registerFunction("ip(string): net.IP", (text: string) => new Address(text))
  .registerFunction("cidr(string): net.CIDR", (text: string) => new Network(text))
  .registerFunction("net.CIDR.ip(): net.IP", ({ text }: Network) => new Address(text.split("/")[0] ?? ""))
  .registerFunction("net.CIDR.prefixLength(): int", ({ text }: Network) => BigInt(text.split("/")[1] ?? 0))
  .registerFunction("net.IP.family(): int", ({ text }: Address) => BigInt(isIP(text)))
  .registerFunction("string.replace(string, string): string", (text: string, from: string, to: string) =>
    text.replaceAll(from, () => to),
  )
  .registerFunction("list.indexOf(dyn): int", (list: unknown[], one: unknown) => BigInt(list.indexOf(one)))
  .registerFunction("list.lastIndexOf(dyn): int", (list: unknown[], one: unknown) => BigInt(list.lastIndexOf(one)))
  .registerFunction("list.sum(): int", (list: bigint[]) => list.reduce((sum, one) => sum + one, 0n));

/** The API server accepts neither zones nor IPv4-mapped IPv6 addresses. */
function isAddress(text: string): boolean {
  return isIP(text) !== 0 && !text.includes("%") && !/^::ffff:.*\./i.test(text);
}

function isNetwork(text: string): boolean {
  const [address = "", length = "", ...rest] = text.split("/");
  if (!isAddress(address) || rest.length > 0 || !/^(0|[1-9]\d{0,2})$/.test(length)) return false;
  return Number(length) <= (isIP(address) === 4 ? 32 : 128);
}

type Program = (variables: Record<string, unknown>) => unknown;

const programs = new Map<string, Program>();

/** Evaluates an expression. Throws an Error for an expression that fails, such as a read of an absent field. */
export function evaluate(expression: string, variables: Record<string, unknown>): unknown {
  const program = programs.get(expression) ?? (base.parse(expression) as Program);
  programs.set(expression, program);
  return program(variables);
}

/** Returns a value in the types of CEL: whole numbers as integers, and names of properties in the form of CEL. */
export function celValue(schema: OpenApi | undefined, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => celValue(itemsOf(schema), one));
  if (typeof value === "object" && value !== null) {
    const named = schema?.properties;
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [
        named ? celName(name) : name,
        celValue(named?.[name] ?? additionalOf(schema), one),
      ]),
    );
  }
  if (typeof value === "number" && schema?.type !== "number" && Number.isInteger(value)) return BigInt(value);
  if (typeof value === "string" && schema?.format === "date-time") return new Date(value);
  return value;
}

function itemsOf(schema: OpenApi | undefined): OpenApi | undefined {
  return schema?.items;
}

function additionalOf(schema: OpenApi | undefined): OpenApi | undefined {
  return typeof schema?.additionalProperties === "object" ? schema.additionalProperties : undefined;
}
