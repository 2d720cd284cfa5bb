const spare = { kind: "ComputeInstance", example: "empty", name: "spare" };

export const sharingExamples = [
  {
    name: "failover",
    doc: "The second address of one instance for another one, which takes it over when the first fails.",
    spec: { instanceRef: { name: "spare" }, addressRefs: [{ name: "second" }] },
    changes: { addressRefs: { addressRefs: [{ name: "third" }] } },
    needs: [spare, { kind: "IPAddress", example: "second" }, { kind: "IPAddress", example: "second", name: "third" }],
  },
  {
    name: "all-families",
    doc: "Addresses of every sort.",
    spec: {
      instanceRef: { name: "spare" },
      addresses: ["198.18.0.2"],
      addressRefs: [{ name: "second" }],
      rangeRefs: [{ name: "containers" }],
    },
    changes: { addresses: { addresses: [] } },
    needs: [spare, { kind: "IPAddress", example: "second" }, { kind: "IPv6Range", example: "containers" }],
  },
];
