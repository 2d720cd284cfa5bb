import type { DomainRow, RecordContent } from "./tables.ts";
import { DEFAULTS } from "./timing.ts";

/** The five name servers in the SOA and NS records of every zone. */
const NAME_SERVERS = [1, 2, 3, 4, 5].map((number) => `ns${number}.dns.example.com.`);

/** Returns the lines of the zone file (not-shown section 6). A disabled domain has only the heading. */
export function zoneText(domain: DomainRow, records: readonly RecordContent[], serial: number): string[] {
  const head = `; ${domain.domain} [${domain.id}]`;
  if (domain.status === "disabled") return [head];
  const timing = (field: keyof typeof DEFAULTS) => domain[field] || DEFAULTS[field];
  const soa = [serial, timing("refresh_sec"), timing("retry_sec"), timing("expire_sec"), timing("ttl_sec")];
  return [
    head,
    `$TTL ${timing("ttl_sec")}`,
    `@\tIN\tSOA\t${NAME_SERVERS[0]} ${mailbox(domain)}. ${soa.join(" ")}`,
    ...NAME_SERVERS.map((server) => `@\t\tNS\t${server}`),
    ...records.map(line),
  ];
}

function line(record: RecordContent): string {
  const { type, name, ttl_sec } = record;
  return [name || "@", ttl_sec === 0 ? "" : ttl_sec, type, content(record)].join("\t");
}

function content(record: RecordContent): string {
  const { type, target, priority, weight, port, tag } = record;
  switch (type) {
    case "MX":
      return `${priority} ${absolute(target)}`;
    case "SRV":
      return `${priority} ${weight} ${port} ${absolute(target)}`;
    case "CAA":
      return `0 ${tag} ${quoted(Buffer.from(target))}`;
    case "TXT":
      return strings(target);
    case "A":
    case "AAAA":
      return target;
    case "CNAME":
    case "NS":
    case "PTR":
      return absolute(target);
  }
}

function absolute(host: string): string {
  return host.endsWith(".") ? host : `${host}.`;
}

/** Returns the contact address as a domain name. Periods before the @ are escaped (RFC 1035 section 8). */
function mailbox({ soa_email, domain }: DomainRow): string {
  const [local = "", host = domain] = (soa_email ?? `hostmaster@${domain}`).split("@");
  return `${local.replaceAll(".", String.raw`\.`)}.${host}`;
}

/** Returns quoted strings of at most 255 bytes (RFC 1035). */
function strings(text: string): string {
  const bytes = Buffer.from(text);
  const count = Math.max(1, Math.ceil(bytes.length / 255));
  return Array.from({ length: count }, (_, index) => quoted(bytes.subarray(index * 255, (index + 1) * 255))).join(" ");
}

/** Returns one quoted string. Bytes outside printable ASCII are written as numbers. */
function quoted(bytes: Buffer): string {
  const shown = Array.from(bytes, (byte) => {
    if (byte < 0x20 || byte > 0x7e) return `\\${String(byte).padStart(3, "0")}`;
    return byte === 0x22 || byte === 0x5c ? `\\${String.fromCharCode(byte)}` : String.fromCharCode(byte);
  });
  return `"${shown.join("")}"`;
}
