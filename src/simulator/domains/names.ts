const LABEL = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;
const RECORD_LABEL = /^[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?$/;
const MAX_NAME = 253;

/**
 * Returns true for a domain name: at least two labels of up to 63 letters, digits and inner dashes (part 3 section 2.4,
 * RFC 1035).
 */
export function isDomainName(text: string): boolean {
  return text.length <= MAX_NAME && text.includes(".") && text.split(".").every((label) => LABEL.test(label));
}

/**
 * Returns true for the target of a record: a host name, with underscores as in service names, and an optional trailing period.
 */
export function isHostName(text: string): boolean {
  const name = text.replace(/\.$/, "");
  return name.length <= MAX_NAME && name.split(".").every((label) => RECORD_LABEL.test(label));
}

/** Returns true for the name of a record: empty for the apex. The first label can be `*`. */
export function isRecordName(text: string): boolean {
  if (text === "" || text === "*") return true;
  return isHostName(text.replace(/^\*\./, "")) && !text.endsWith(".");
}

/** Returns the name of a record relative to the domain. A full name inside the domain loses the domain suffix. */
export function relativeName(name: string, domain: string): string {
  if (isSameName(name, domain)) return "";
  const rest = name.slice(0, -domain.length - 1);
  return isSameName(name, `${rest}.${domain}`) ? rest : name;
}

/** Returns true for equal names, without regard to case. */
export function isSameName(left: string, right: string): boolean {
  return left.length === right.length && left.toLowerCase() === right.toLowerCase();
}
