/** Specs of keys, accounts and names that would let in the wrong people, or lead nowhere; see `refused.ts`. */
import type { Refused } from "./refused.ts";

const ed25519 = "AAAAC3NzaC1lZDI1NTE5AAAAIGJyb2FkLWV4YW1wbGUta2V5LWZvci1kb2N1bWVudHMh";
const notWhole = "must be a whole public key in OpenSSH form";
const record = { domainRef: { name: "example-org" } };
const notAnAddress = "must be a host name, not an address";
const account = { tokenSecretRef: { name: "cloud-token" } };

const sshKey: Omit<Refused, "kind">[] = [
  { because: "the key's end is cut off", spec: { sshKey: `ssh-ed25519 ${ed25519.slice(0, -4)}` }, says: notWhole },
  { because: "the base64 is of another type", spec: { sshKey: `ssh-rsa ${ed25519}` }, says: notWhole },
  { because: "the type is missing", spec: { sshKey: ed25519 }, says: notWhole },
  { because: "no type has this name", spec: { sshKey: `ed25519 ${ed25519}` }, says: notWhole },
  { because: "an RSA key has more bits", spec: { sshKey: "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAAgQ==" }, says: notWhole },
  {
    because: "a private key is never sent",
    spec: {
      sshKey: "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA\n-----END OPENSSH PRIVATE KEY-----",
    },
    says: notWhole,
  },
  {
    because: "options of authorized_keys are none of the key",
    spec: { sshKey: `no-pty ssh-ed25519 ${ed25519}` },
    says: notWhole,
  },
];

const fullName =
  "For the host server1 of the domain example.org, write server1.example.org. For the top-level name server1, write server1.";
const srv = { ...record, type: "SRV", service: "sip", protocol: "tcp", port: 1, priority: 1, weight: 1 };
const oneLine = "must be one line that is not empty";
const caaAlone = "must be the value alone";

const zoneValues: Omit<Refused, "kind">[] = [
  ...["CNAME", "MX", "NS"].map((type) => ({
    because: `the target of a ${type} record is a full name`,
    spec: { ...record, type, name: "www", target: "server1" },
    says: fullName,
  })),
  { because: "the target of an SRV record is a full name", spec: { ...srv, target: "server1" }, says: fullName },
  {
    because: "a CNAME leads to a host",
    spec: { ...record, type: "CNAME", name: "www", target: "." },
    says: "a period alone is for an MX or SRV record",
  },
  {
    because: "a zone is served by hosts",
    spec: { ...record, type: "NS", name: "lab", target: "." },
    says: "a period alone is for an MX or SRV record",
  },
  {
    because: "a CNAME is not at the apex",
    spec: { ...record, type: "CNAME", target: "www.example.net" },
    says: "type CNAME needs spec.name, such as www: the domain itself",
  },
  { because: "text is one line", spec: { ...record, type: "TXT", target: "a\nb" }, says: oneLine },
  { because: "text ends once", spec: { ...record, type: "TXT", target: "a\n\n" }, says: oneLine },
  { because: "a line break is no text", spec: { ...record, type: "TXT", target: "\n" }, says: oneLine },
  { because: "quotes around no text are no text", spec: { ...record, type: "TXT", target: '""' }, says: oneLine },
  ...['"" ""', '("")', '""\n', ' ""', " "].map((target) => ({
    because: `an empty text is none: ${JSON.stringify(target)}`,
    spec: { ...record, type: "TXT", target },
    says: oneLine,
  })),
  ...[
    ['"v=spf1" -all', "text after a string"],
    ['"abc', "a quote that is not closed"],
    ['"abc" ; comment', "a comment"],
    ['"abc")', "a parenthesis that is not opened"],
    ['("abc"', "a parenthesis that is not closed"],
    [String.raw`"a\300b"`, "no byte has this value"],
    [String.raw`"a\255b"`, "a byte that is not UTF-8"],
    [String.raw`"a\195b"`, "half a character"],
    [String.raw`"a\237\160\128"`, "half a pair of UTF-16"],
    [String.raw`"a\1b"`, "a byte has three digits"],
    [String.raw`"abc\"`, "an escaped quote closes nothing"],
  ].map(([target = "", because = ""]) => ({
    because: `strings of a TXT record: ${because}`,
    spec: { ...record, type: "TXT", target },
    says: "must be strings in quotes and nothing else",
  })),
  ...[
    "0 issue letsencrypt.org",
    " ",
    "a.org, b.org",
    "a.org b.org",
    "https://letsencrypt.org",
    "me@example.org",
    "a.org; b.org",
  ].map((target) => ({
    because: `a CAA record permits one authority: ${target}`,
    spec: { ...record, type: "CAA", tag: "issue", target },
    says: "must be the domain name of one authority",
  })),
  ...["letsencrypt.org", "security@example.org", "ftp://example.org"].map((target) => ({
    because: `reports go to a URL: ${target}`,
    spec: { ...record, type: "CAA", tag: "iodef", target },
    says: "must be a URL",
  })),
  ...["a..b", "a*b", "a.*.b", "**", "*a", `${"x".repeat(64)}.b`].map((name) => ({
    because: `labels of a name: ${name}`,
    spec: { ...record, type: "TXT", target: "a", name },
    says: "must be a host name",
  })),
  {
    because: "flags and tag of a CAA record are fields",
    spec: { ...record, type: "CAA", tag: "issue", target: '0 issue "letsencrypt.org"' },
    says: caaAlone,
  },
  {
    because: "a CAA value in quotes has no trailing period",
    spec: { ...record, type: "CAA", tag: "issue", target: '"ca.example."' },
    says: caaAlone,
  },
  {
    because: "an AAAA record has one address",
    spec: { ...record, type: "AAAA", target: "2001:db8::/64" },
    says: "target of an AAAA record",
  },
  {
    because: "an A record has one address",
    spec: { ...record, type: "A", target: "192.0.2.0/24" },
    says: "target of an A record",
  },
  {
    because: "a subdomain of a protocol has no empty label",
    spec: { ...srv, target: "a.example.net", protocol: "tcp..play" },
    says: "a period before each label of a subdomain",
  },
  {
    because: "a protocol is not absolute",
    spec: { ...srv, target: "a.example.net", protocol: "tcp.play." },
    says: "a period before each label of a subdomain",
  },
];

export const refusedForms: Refused[] = [
  ...zoneValues.map(({ because, spec, says }) => ({ kind: "DomainRecord", because, spec, says })),
  ...sshKey.map(({ because, spec, says }) => ({ kind: "SSHKey", because, spec, says })),
  {
    kind: "ComputeInstance",
    because: "a key that is none lets nobody in",
    spec: {
      region: "us-east",
      type: "g6-standard-1",
      image: "compute/debian12",
      authorizedKeys: ["ada@laptop, my own key"],
    },
    says: notWhole,
  },
  ...["CNAME", "MX", "NS"].map((type) => ({
    kind: "DomainRecord",
    because: `an ${type} record leads to a name, which has an address`,
    spec: { ...record, type, name: "www", target: "198.51.100.1", ...(type === "MX" && { priority: 1 }) },
    says: notAnAddress,
  })),
  {
    kind: "CloudAccount",
    because: "a namespace has no such name",
    spec: { ...account, sharing: { namespaces: ["Team_A"] } },
    says: "must be the name of a namespace",
  },
  {
    kind: "CloudAccount",
    because: "a pattern is no name",
    spec: { ...account, sharing: { namespaces: ["team-*"] } },
    says: "must be the name of a namespace",
  },
  {
    kind: "CloudAccount",
    because: "what exists is for namespaces that may use the account",
    spec: { ...account, sharing: { namespaces: ["team-a"], existing: ["team-b"] } },
    says: "existing and accountWide must name only namespaces that spec.sharing.namespaces names too",
  },
];
