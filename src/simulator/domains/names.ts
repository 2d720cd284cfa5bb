const LABEL = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;
const RECORD_LABEL = /^[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?$/;
const MAX_NAME = 253;

/** True for a domain name: two labels or more of at most 63 letters, digits and inner dashes (part 3 section 2.4, RFC 1035). */
export function isDomainName(text: string): boolean {
  return text.length <= MAX_NAME && text.includes(".") && text.split(".").every((label) => LABEL.test(label));
}

/** True for the target of a record: a host name, with underscores as in service names, and perhaps a trailing period. */
export function isHostName(text: string): boolean {
  const name = text.replace(/\.$/, "");
  return name.length <= MAX_NAME && name.split(".").every((label) => RECORD_LABEL.test(label));
}

/** True for the name of a record: empty for the apex, and a first label that may be `*`. */
export function isRecordName(text: string): boolean {
  if (text === "" || text === "*") return true;
  return isHostName(text.replace(/^\*\./, "")) && !text.endsWith(".");
}

/** The name of a record relative to its domain: a full name inside the domain loses the domain. */
export function relativeName(name: string, domain: string): string {
  if (isSameName(name, domain)) return "";
  const rest = name.slice(0, -domain.length - 1);
  return isSameName(name, `${rest}.${domain}`) ? rest : name;
}

/** True for names that differ by case only, or not at all. */
export function isSameName(left: string, right: string): boolean {
  return left.length === right.length && left.toLowerCase() === right.toLowerCase();
}
