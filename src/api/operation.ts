/** Fixed words in paths of the API (the endpoint table and not-shown). Every other segment is an identifier. */
const WORDS = new Set(
  `access account apps assign availability backups beta betas boot buckets cancel clone clusters compute configs
  credentials databases devices disks domains enable engines events firewalls grants images import instances ips ipv4
  ipv6 kernels keys logins migrate mutate mysql networking nodebalancers object-acl object-list object-storage
  object-url password patch phone-number pools preferences profile ranges read reboot rebuild records regions rescue
  reset resize restore rules security-questions seen share shutdown sshkeys ssl stats tags transfer types upload
  verify vlans volumes zone-file`.split(/\s+/),
);

/**
 * Returns the operation of a request, with identifiers replaced: `GET /compute/instances/*`. The number of operations
 * is limited, even if a bucket or a tag has the name of a fixed word. Metrics use the operation as a label, and each
 * operation has a rate limit.
 */
export function operationOf(method: string, path: string): string {
  const segments = (path.split("?")[0] ?? "").split("/").slice(1);
  const named = segments.map((segment) => (WORDS.has(segment) ? segment : "*"));
  // An identifier with a slash takes two segments (part 1, convention 7).
  return `${method} /${named.join("/").replace(/\*(\/\*)+$/, "*")}`;
}
