const spare = { kind: "ComputeInstance", example: "empty", name: "spare" };
const second = { kind: "IPAddress", example: "second" };

const addressOf = (name: string) => ({ kind: "IPAddress" as const, name, address: "Public" as const });

export const sharingExamples = [
  {
    name: "failover",
    doc: "The second address of one instance for another one, which takes it over when the first fails.",
    spec: { instanceRef: { name: "spare" }, addressRefs: [addressOf("second")] },
    changes: { addressRefs: { addressRefs: [addressOf("third")] } },
    needs: [spare, second, { ...second, name: "third" }],
  },
  {
    name: "takeover",
    doc: "The first address of one instance for another one, also after the first instance is created again.",
    spec: {
      instanceRef: { name: "spare" },
      addressRefs: [{ kind: "ComputeInstance" as const, name: "empty", address: "Public" as const }],
    },
    needs: [{ kind: "ComputeInstance", example: "empty" }, spare],
  },
  {
    name: "all-families",
    doc: "Addresses of every sort.",
    spec: {
      instanceRef: { name: "spare" },
      addresses: ["198.18.0.2"],
      addressRefs: [addressOf("second"), { kind: "IPv6Range" as const, name: "containers", address: "IPv6" as const }],
    },
    changes: { addresses: { addresses: [] } },
    needs: [spare, second, { kind: "IPv6Range", example: "containers" }],
  },
];
