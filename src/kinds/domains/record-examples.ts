const domainRef = { name: "example-org" };
const needs = [{ kind: "Domain", example: "example-org" }];
const empty = { kind: "ComputeInstance", example: "empty" };

export const recordExamples = [
  {
    name: "example-org-www-a",
    doc: "A host with an IPv4 address.",
    spec: { domainRef, type: "A" as const, name: "www", target: "192.0.2.10", ttlSeconds: 300 as const },
    changes: { name: { name: "web" }, target: { target: "192.0.2.11" }, ttlSeconds: { ttlSeconds: 3600 as const } },
    needs,
    sample: true,
  },
  {
    name: "example-org-www-aaaa",
    doc: "A host with an IPv6 address.",
    spec: { domainRef, type: "AAAA" as const, name: "www", target: "2001:db8::10" },
    changes: { target: { target: "2001:db8::11" } },
    needs,
    sample: true,
  },
  {
    name: "example-org-vm-a",
    doc: "A host with the IPv4 address of an instance. If the address changes, the operator updates the record.",
    spec: {
      domainRef,
      type: "A" as const,
      name: "vm",
      targetRef: { kind: "ComputeInstance" as const, name: "empty", address: "Public" as const },
    },
    changes: {
      targetRef: { targetRef: { kind: "ComputeInstance" as const, name: "spare", address: "Public" as const } },
    },
    needs: [...needs, empty, { ...empty, name: "spare" }],
  },
  {
    name: "example-org-vm-aaaa",
    doc: "A host with the IPv6 address of an instance. If the address changes, the operator updates the record.",
    spec: {
      domainRef,
      type: "AAAA" as const,
      name: "vm",
      targetRef: { kind: "ComputeInstance" as const, name: "empty", address: "IPv6" as const },
    },
    needs: [...needs, empty],
  },
  {
    name: "example-org-mx",
    doc: "The mail server of the domain itself.",
    spec: { domainRef, type: "MX" as const, target: "mail.example.net", priority: 10 },
    changes: { target: { target: "mx.example.net" }, priority: { priority: 20 } },
    needs,
    sample: true,
  },
  {
    name: "example-org-spf",
    doc: "A text record with the servers that may send mail.",
    spec: { domainRef, type: "TXT" as const, target: "v=spf1 mx -all" },
    changes: { target: { target: "v=spf1 mx ~all" } },
    needs,
    sample: true,
  },
  {
    name: "example-org-sip",
    doc: "Host and port of a service. The name of the record becomes _sip._tcp.",
    spec: {
      domainRef,
      type: "SRV" as const,
      service: "sip",
      protocol: "tcp",
      target: "sip.example.net",
      port: 5060,
      priority: 10,
      weight: 5,
    },
    changes: {
      service: { service: "sips" },
      protocol: { protocol: "udp" },
      port: { port: 5061 },
      priority: { priority: 20 },
      weight: { weight: 0 },
    },
    needs,
    sample: true,
  },
  {
    name: "example-org-caa",
    doc: "Permits one authority to issue certificates for the domain.",
    spec: { domainRef, type: "CAA" as const, tag: "issue" as const, target: "letsencrypt.org" },
    changes: { tag: { tag: "issuewild" as const }, target: { target: "pki.example.net" } },
    needs,
    sample: true,
  },
  {
    name: "example-org-shop-cname",
    doc: "An alias for a host.",
    spec: { domainRef, type: "CNAME" as const, name: "shop", target: "www.example.org." },
    changes: { target: { target: "web.example.org" } },
    needs,
  },
  {
    name: "example-org-lab-ns",
    doc: "Delegates a part of the domain to an external name server.",
    spec: { domainRef, type: "NS" as const, name: "lab", target: "ns1.example.net" },
    changes: { target: { target: "ns2.example.net" } },
    needs,
  },
];
