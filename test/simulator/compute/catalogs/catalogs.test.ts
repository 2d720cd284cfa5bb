import { expect, test } from "vitest";
import { running } from "../../running.ts";

const price = { hourly: expect.any(Number) as number, monthly: expect.any(Number) as number };

test("types tell sizes, prices, successor and the price of backups, to anybody", async () => {
  const simulator = await running();
  const { data } = await simulator.ok("GET", "/compute/types", undefined, { token: null });
  const classes = new Set((data as { class: string }[]).map((type) => type.class));
  expect([...classes].toSorted()).toEqual(["dedicated", "gpu", "highmem", "nanode", "premium", "standard"]);
  expect(await simulator.ok("GET", "/compute/types/g5-standard-1", undefined, { token: null })).toEqual({
    id: "g5-standard-1",
    label: "Compute 2GB (previous)",
    class: "standard",
    disk: 30_720,
    memory: 2048,
    vcpus: 1,
    gpus: 0,
    transfer: 2000,
    network_out: 125,
    successor: "g6-standard-1",
    price,
    region_prices: [{ id: "ap-southeast", ...price }],
    addons: { backups: { price, region_prices: [{ id: "ap-southeast", ...price }] } },
  });
  expect((await simulator.call("GET", "/compute/types/g9-huge")).status).toBe(404);
});

test.each(["/compute/kernels/compute/grub2", "/compute/kernels/compute%2Fgrub2"])(
  "a kernel is read at %s",
  async (path) => {
    const simulator = await running();
    expect(await simulator.ok("GET", path, undefined, { token: null })).toEqual({
      id: "compute/grub2",
      label: "GRUB 2",
      architecture: "x86_64",
      built: "2024-07-01T00:00:00",
      deprecated: false,
      kvm: true,
      pvops: true,
      version: "2.06",
    });
  },
);

test("regions tell capabilities and resolvers, to anybody, in a paged list", async () => {
  const simulator = await running();
  const list = await simulator.ok("GET", "/regions", undefined, { token: null });
  expect(list).toMatchObject({ page: 1, pages: 1, results: (list["data"] as unknown[]).length });
  expect(await simulator.ok("GET", "/regions/us-east", undefined, { token: null })).toEqual({
    id: "us-east",
    label: "Newark, NJ",
    country: "us",
    capabilities: expect.arrayContaining(["Compute", "Vlans", "Metadata", "Cloud Firewall"]) as string[],
    status: "ok",
    resolvers: { ipv4: expect.any(String) as string, ipv6: expect.any(String) as string },
    site_type: "core",
    placement_group_limits: {
      maximum_pgs_per_customer: null,
      maximum_computes_per_pg: 5,
      maximum_computes_per_flexible_pg: 5,
    },
    monitors: { alerts: ["Managed Databases"], metrics: ["Managed Databases"] },
  });
});

test("availability is paged for all regions and an array for one", async () => {
  const simulator = await running();
  const all = await simulator.ok("GET", "/regions/availability", undefined, { token: null });
  expect((all["data"] as object[])[0]).toEqual({ region: "us-east", plan: "g1-gpu-rtx6000-1", available: true });
  const one = (await simulator.ok("GET", "/regions/us-west/availability", undefined, { token: null })) as unknown;
  expect(one).toHaveLength(8);
  expect(one).toContainEqual({ region: "us-west", plan: "g7-premium-2", available: false });
});

test("a public image tells what can be done with it", async () => {
  const simulator = await running();
  expect(await simulator.ok("GET", "/images/compute/debian12", undefined, { token: null })).toMatchObject({
    id: "compute/debian12",
    is_public: true,
    status: "available",
    type: "manual",
    vendor: "Debian",
    deprecated: false,
    expiry: null,
    capabilities: ["cloud-init"],
  });
});
