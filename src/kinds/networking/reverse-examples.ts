const instance = { kind: "ComputeInstance", example: "empty", name: "mail-1" };

export const reverseExamples = [
  {
    name: "mail",
    doc: "The name of a mail server. An address under nip.io resolves to itself.",
    spec: {
      addressRef: { kind: "ComputeInstance" as const, name: "mail-1", address: "Public" as const },
      hostname: "mail.example.org",
    },
    needs: [instance],
  },
  {
    name: "mail-ipv6",
    doc: "The name of the SLAAC address of a mail server.",
    spec: {
      addressRef: { kind: "ComputeInstance" as const, name: "mail-1", address: "IPv6" as const },
      hostname: "mail.example.org",
    },
    needs: [instance],
  },
  {
    name: "relay",
    doc: "The name of an address without custom resource.",
    spec: { address: "2001:db8::f03c:91ff:fe24:3a2f", hostname: "mail.example.org" },
    shownOnly: true,
  },
];
