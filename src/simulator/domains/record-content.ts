import * as z from "zod";
import { invalid } from "../server/errors.ts";
import { familyOf } from "../server/ip-address.ts";
import { optional, text } from "../server/wire.ts";
import { isHostName, isRecordName, relativeName } from "./names.ts";
import { RECORD_TYPES } from "./tables.ts";
import type { RecordContent } from "./tables.ts";
import { recordTiming } from "./timing.ts";

const REMOTE_ADDRESS = "[remote_addr]";
const short = optional(z.int().min(0, "Must be 0-65535").max(65_535, "Must be 0-65535"));

/** Fields of a record in a request, without the type. An update can contain any subset. */
export const recordFields = {
  name: optional(text(0, 100).refine(isRecordName, "Must be a host name relative to the domain")),
  port: short,
  priority: optional(z.int().min(0, "Must be 0-255").max(255, "Must be 0-255")),
  protocol: optional(z.string()),
  service: optional(z.string()),
  tag: optional(z.enum(["issue", "issuewild", "iodef"])),
  target: optional(text(0, 65_535)),
  ttl_sec: recordTiming,
  weight: short,
};

export const recordType = z.enum(RECORD_TYPES);

type Type = RecordContent["type"];
type Optional<T> = { [K in keyof T]?: T[K] | null | undefined };

/** A record from a request. An update adds the stored values of omitted fields. */
export type RecordDraft = Optional<Omit<RecordContent, "type">> & { readonly type: Type };

/** Values outside the request that a draft depends on. */
interface Surroundings {
  /** Address of the caller. */
  readonly remoteAddress: string;
  /** Name of the record's domain. */
  readonly domain: string;
  /** Stored target before an update. An update that repeats the stored target keeps it unchecked. */
  readonly stored?: string;
}

/**
 * Returns the content to store for a draft (part 3 section 2.4, not-shown sections 6 and 9). Throws 400 that names the field.
 * `[remote_addr]` becomes the address of the caller. A full name inside the domain becomes a relative name. The service
 * builds the name of an SRV record. A host name loses the final period. Fields of other types are omitted.
 */
export function recordContent(draft: RecordDraft, surroundings: Surroundings): RecordContent {
  const { type, name, ttl_sec = 0 } = draft;
  const { domain, stored } = surroundings;
  const plain: RecordContent = {
    type,
    name: relativeName(name ?? "", domain),
    target:
      stored !== undefined && draft.target === stored ? stored : checkedTarget(type, targetOf(draft), surroundings),
    priority: 0,
    weight: 0,
    port: 0,
    service: null,
    protocol: null,
    tag: null,
    ttl_sec: ttl_sec ?? 0,
  };
  if (type === "CNAME" && plain.name === "") throw invalid("name", "A CNAME record needs a name");
  if (type === "MX") return { ...plain, priority: draft.priority ?? 0 };
  if (type === "CAA") return { ...plain, tag: needed(draft, "tag") };
  return type === "SRV" ? { ...plain, ...serviceOf(draft) } : plain;
}

function serviceOf(draft: RecordDraft): Partial<RecordContent> {
  const service = bareLabel("service", needed(draft, "service"));
  const [transport = "", ...subdomain] = (draft.protocol || "tcp").split(".");
  if (!subdomain.every((label) => label !== "" && isHostName(label)))
    throw invalid("protocol", "Must be a protocol, perhaps with a subdomain");
  const protocol = [bareLabel("protocol", transport), ...subdomain].join(".");
  return {
    name: `_${service}._${protocol}`,
    service,
    protocol,
    port: needed(draft, "port"),
    priority: needed(draft, "priority"),
    weight: needed(draft, "weight"),
  };
}

function needed<K extends keyof RecordDraft>(draft: RecordDraft, field: K): NonNullable<RecordDraft[K]> {
  const value = draft[field];
  if (value === undefined || value === null || value === "")
    throw invalid(field, `${field} is required for ${draft.type} records`);
  return value;
}

/** Returns the target of a draft. An empty target means a null MX, or an SRV record of an unavailable service. */
function targetOf(draft: RecordDraft): string {
  const mayBeEmpty = draft.type === "MX" || draft.type === "SRV";
  return mayBeEmpty && draft.target === "" ? "" : needed(draft, "target");
}

/** Returns the label without spaces and without the leading underscore, which the service adds. */
function bareLabel(field: string, given: string): string {
  const label = given.trim().replace(/^_/, "");
  if (!/^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,60}[A-Za-z0-9])?$/.test(label))
    throw invalid(field, "Must be letters, digits, dashes and underscores");
  return label;
}

function checkedTarget(type: Type, target: string, { remoteAddress, domain }: Surroundings): string {
  switch (type) {
    case "A":
    case "AAAA":
      return address(type, target, remoteAddress);
    case "CAA":
      if (target.endsWith(".")) throw invalid("target", "A trailing period is not accepted");
      return target;
    case "TXT":
      return target;
    case "CNAME":
    case "MX":
    case "NS":
    case "PTR":
    case "SRV":
      return checkedHost(type, target, domain);
  }
}

/** Returns the host without the final period. The service completes a single label of an SRV record with the domain. */
function checkedHost(type: Type, target: string, domain: string): string {
  if (type === "SRV" && target === ".") return target;
  if ((type === "MX" || type === "SRV") && /^[.]?$/.test(target)) return "";
  if (!isHostName(target)) throw invalid("target", "Must be a host name");
  return type === "SRV" && !target.includes(".") ? `${target}.${domain}` : target.replace(/\.$/, "");
}

function address(type: "A" | "AAAA", target: string, remoteAddress: string): string {
  const isRemote = target === REMOTE_ADDRESS;
  const found = isRemote ? remoteAddress.replace(/^::ffff:(?=\d+\.)/, "") : target;
  const family = type === "A" ? 4 : 6;
  if (familyOf(found) === family) return found;
  throw invalid(
    "target",
    isRemote ? `The request does not come from an IPv${family} address` : `Must be an IPv${family} address`,
  );
}
