const web = [
  {
    action: "ACCEPT" as const,
    protocol: "TCP" as const,
    ports: "80, 443",
    ipv4: ["0.0.0.0/0"],
    ipv6: ["::/0"],
    label: "web",
  },
  {
    action: "ACCEPT" as const,
    protocol: "TCP" as const,
    ports: "22",
    ipv4: ["192.0.2.0/24"],
    description: "ssh from the office",
  },
  { action: "ACCEPT" as const, protocol: "ICMP" as const, ipv4: ["0.0.0.0/0"], ipv6: ["::/0"] },
];

const postgres = { action: "ACCEPT" as const, protocol: "TCP" as const, ports: "5432" };
const publicOf = (name: string) => ({ kind: "ComputeInstance" as const, name, address: "Public" as const });
const ipv6Of = (name: string) => ({ kind: "ComputeInstance" as const, name, address: "IPv6" as const });

export const firewallExamples = [
  {
    name: "web",
    doc: "Accepts web traffic and ICMP from every address, SSH from one network, and all outgoing traffic, for two instances.",
    spec: {
      inboundPolicy: "DROP" as const,
      outboundPolicy: "ACCEPT" as const,
      inbound: web,
      instanceRefs: [{ name: "web-1" }, { name: "web-2" }],
    },
    changes: {
      inbound: { inbound: web.slice(0, 1) },
      inboundPolicy: { inboundPolicy: "ACCEPT" as const },
      instanceRefs: { instanceRefs: [{ name: "web-2" }] },
      "instanceRefs, attached again": { instanceRefs: [{ name: "web-1" }, { name: "web-2" }] },
    },
    needs: [
      { kind: "ComputeInstance", example: "web-1" },
      { kind: "ComputeInstance", example: "web-2" },
    ],
    sample: true,
  },
  {
    name: "behind",
    doc: "Accepts PostgreSQL connections from one instance, and permits connections to a second instance. If an address changes, the operator updates the rules.",
    spec: {
      inboundPolicy: "DROP" as const,
      outboundPolicy: "DROP" as const,
      inbound: [{ ...postgres, fromRefs: [publicOf("empty")] }],
      outbound: [{ ...postgres, ipv4: ["198.51.100.1/32"], toRefs: [publicOf("spare"), ipv6Of("spare")] }],
    },
    changes: {
      inbound: { inbound: [{ ...postgres, fromRefs: [publicOf("empty"), ipv6Of("spare")] }] },
    },
    needs: [
      { kind: "ComputeInstance", example: "empty" },
      { kind: "ComputeInstance", example: "empty", name: "spare" },
    ],
  },
  {
    name: "closed",
    doc: "Drops all incoming traffic, and permits outgoing traffic to a few networks. You attach instances outside the operator.",
    spec: {
      label: "closed_net.1",
      enabled: true,
      inboundPolicy: "DROP" as const,
      outboundPolicy: "DROP" as const,
      outbound: [
        {
          action: "ACCEPT" as const,
          protocol: "UDP" as const,
          ports: "53,8000-8080",
          ipv4: ["198.51.100.1/32", "203.0.113.0/24"],
          ipv6: ["2001:db8::/64"],
          label: "resolver",
          description: "names and metrics",
        },
        { action: "DROP" as const, protocol: "IPENCAP" as const, ipv4: ["0.0.0.0/0"] },
      ],
      tags: ["closed", "internal"],
    },
    changes: {
      label: { label: "closed_net.2" },
      enabled: { enabled: false },
      outboundPolicy: { outboundPolicy: "ACCEPT" as const },
      outbound: { outbound: [] },
      tags: { tags: ["internal"] },
    },
  },
];
