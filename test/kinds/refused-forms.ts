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

export const refusedForms: Refused[] = [
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
    spec: { ...record, type, target: "198.51.100.1", ...(type === "MX" && { priority: 1 }) },
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
