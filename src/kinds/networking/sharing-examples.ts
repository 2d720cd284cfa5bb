const spare = { kind: "ComputeInstance", example: "empty", name: "spare" };
const second = { kind: "IPAddress", example: "second" };

const addressOf = (name: string) => ({ kind: "IPAddress" as const, name, address: "Public" as const });

export const sharingExamples = [
  {
    name: "failover",
    doc: "A spare instance can take over the additional address of a different instance after a failure.",
    spec: { instanceRef: { name: "spare" }, addressRefs: [addressOf("second")] },
    changes: { addressRefs: { addressRefs: [addressOf("third")] } },
    needs: [spare, second, { ...second, name: "third" }],
  },
  {
    name: "takeover",
    doc: "A spare instance can take over the first address of a different instance. If the address changes, the operator updates the sharing.",
    spec: {
      instanceRef: { name: "spare" },
      addressRefs: [{ kind: "ComputeInstance" as const, name: "empty", address: "Public" as const }],
    },
    needs: [{ kind: "ComputeInstance", example: "empty" }, spare],
  },
  {
    name: "all-families",
    doc: "An address as a value, a referenced IPAddress, and a referenced IPv6Range.",
    spec: {
      instanceRef: { name: "spare" },
      addresses: ["198.18.0.2"],
      addressRefs: [addressOf("second"), { kind: "IPv6Range" as const, name: "containers", address: "IPv6" as const }],
    },
    changes: { addresses: { addresses: [] } },
    needs: [spare, second, { kind: "IPv6Range", example: "containers" }],
  },
];
