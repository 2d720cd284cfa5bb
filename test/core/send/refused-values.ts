/** Specs whose values the cloud API refuses, and what people read of them. */
import type { World } from "../../support/world.ts";

interface RefusedValue {
  kind: string;
  spec: object;
  says: string;
  /** What there must be before. */
  before?: (world: World) => Promise<void>;
}

const machine = { region: "us-east", type: "g6-standard-1", image: "compute/debian12" };

export const refusedValues: RefusedValue[] = [
  {
    kind: "ComputeInstance",
    spec: { ...machine, region: "us-est" },
    says: 'spec.region: "us-est" is not a region. Use one of: us-east,',
  },
  {
    kind: "ComputeInstance",
    spec: { ...machine, type: "g6-standard-11" },
    says: 'spec.type: "g6-standard-11" is not an instance type',
  },
  {
    kind: "ComputeInstance",
    spec: { ...machine, image: "compute/debian21" },
    says: 'spec.image: "compute/debian21" is not an image. Use one of: compute/debian1',
  },
  {
    kind: "ManagedMySQL",
    spec: { engine: "mysql/8.0.99", region: "us-east", type: "g6-standard-1" },
    says: 'spec.engine: "mysql/8.0.99" is not a database engine. Use one of: mysql/8.0.',
  },
  {
    kind: "ManagedMySQL",
    spec: { engine: "mysql/8.0.30", region: "us-est", type: "g6-standard-1" },
    says: 'spec.region: "us-est" is not a region. Use one of: us-east,',
  },
  {
    kind: "ManagedMySQL",
    spec: { engine: "mysql/8.0.30", region: "us-east", type: "g6-standrd-1" },
    says: 'spec.type: "g6-standrd-1" is not an instance type. Use one of: g6-standard-1',
  },
  {
    kind: "Image",
    spec: { source: { handOff: { region: "us-est" } } },
    says: 'spec.source.handOff.region: "us-est" is not a region. Use one of: us-east,',
  },
  {
    kind: "Bucket",
    spec: { cluster: "us-est-1" },
    says: 'spec.cluster: "us-est-1" is not a cluster of object storage. Use one of: us-east-1',
  },
  {
    kind: "ComputeConfig",
    spec: { instanceRef: { name: "host" }, devices: {}, kernel: "compute/latest-64" },
    before: async (world) => {
      await world.apply(world.object("ComputeInstance", "host", { region: "us-east", type: "g6-standard-1" }));
      await world.ready("ComputeInstance", "host");
    },
    says: 'spec.kernel: "compute/latest-64" is not a kernel. Use one of: compute/latest-64bit',
  },
  {
    kind: "BetaEnrollment",
    spec: { program: "fast-disk" },
    says: 'spec.program: "fast-disk" is not a beta program. Use one of: fast-disks',
  },
  {
    kind: "ComputeInstance",
    spec: { ...machine, type: "g7-premium-2" },
    says: "It is available in: br-gru, es-mad, fr-par",
  },
];
