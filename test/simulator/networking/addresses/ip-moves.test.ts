import { expect, test } from "vitest";
import { reasons, running } from "../../running.ts";
import type { Running } from "../../running.ts";
import { instance } from "../firewalls/firewall-bodies.ts";

/** Two instances of one region: `one` has 198.18.0.2, `two` 198.18.0.3; `extra` is another public address of `one`. */
async function pair(simulator: Running) {
  const [one, two] = [await instance(simulator), await instance(simulator)];
  const { address } = await simulator.ok("POST", "/networking/ips", { type: "ipv4", public: true, compute_id: one });
  return { one, two, extra: String(address) };
}

async function publicOf(simulator: Running, id: number): Promise<unknown> {
  return (await simulator.ok("GET", `/compute/instances/${id}`))["ipv4"];
}

const assign = (simulator: Running, assignments: unknown, region = "us-east", path = "/networking/ips/assign") =>
  simulator.call("POST", path, { region, assignments });

test.each(["/networking/ips/assign", "/networking/ipv4/assign"])(
  "%s moves an address to another instance",
  async (path) => {
    const simulator = await running();
    const { one, two, extra } = await pair(simulator);
    const reply = await assign(simulator, [{ address: extra, compute_id: two }], "us-east", path);
    expect([reply.status, reply.body]).toEqual([200, {}]);
    expect(await publicOf(simulator, one)).toEqual(["198.18.0.2"]);
    expect(await publicOf(simulator, two)).toEqual(["198.18.0.3", extra]);
  },
);

test("two instances swap their only addresses in one assignment", async () => {
  const simulator = await running();
  const { one, two } = await pair(simulator);
  const swap = [
    { address: "198.18.0.2", compute_id: two },
    { address: "198.18.0.3", compute_id: one },
  ];
  expect((await assign(simulator, swap)).status).toBe(200);
  expect(await publicOf(simulator, two)).toEqual(["198.18.0.2"]);
});

test("part 3 section 4.3 rule 1: every instance must end with at least one public IPv4 address", async () => {
  const simulator = await running();
  const { one, two } = await pair(simulator);
  expect((await assign(simulator, [{ address: "198.18.0.3", compute_id: one }])).status).toBe(400);
  expect(await publicOf(simulator, two)).toEqual(["198.18.0.3"]);
});

test("part 3 section 4.3 rule 1: every instance must end with at most one private IPv4 address", async () => {
  const simulator = await running();
  const { one, two } = await pair(simulator);
  const privateOf = async (id: number) =>
    String((await simulator.ok("POST", "/networking/ips", { type: "ipv4", public: false, compute_id: id }))["address"]);
  const [first, second] = [await privateOf(one), await privateOf(two)];
  expect((await assign(simulator, [{ address: first, compute_id: two }])).status).toBe(400);
  const swap = [
    { address: first, compute_id: two },
    { address: second, compute_id: one },
  ];
  expect((await assign(simulator, swap)).status).toBe(200);
});

test("part 3 section 4.3 rule 1: assigning an IPv6 range sets its route target to the instance's SLAAC address", async () => {
  const simulator = await running();
  const { one, two } = await pair(simulator);
  const { range } = await simulator.ok("POST", "/networking/ipv6/ranges", { prefix_length: 64, compute_id: one });
  expect((await assign(simulator, [{ address: range, compute_id: two }])).status).toBe(200);
  const { ipv6 } = await simulator.ok("GET", `/compute/instances/${two}`);
  const { data } = await simulator.ok("GET", "/networking/ipv6/ranges");
  expect(data).toMatchObject([{ route_target: String(ipv6).replace("/128", "") }]);
});

test("part 3 section 4.3 rule 1: every instance must end with at most one IPv6 range", async () => {
  const simulator = await running();
  const { one, two } = await pair(simulator);
  const { range } = await simulator.ok("POST", "/networking/ipv6/ranges", { prefix_length: 64, compute_id: one });
  const other = { range: "2001:db8:ffff:ff00::", prefix: 64, region: "us-east", instance: two, sharedWith: [] };
  const dump = simulator.control.snapshot();
  const common = { table: "ipv6-range", account: "demo", id: other.range, parent: String(two), insertedAt: 0 };
  simulator.control.restore({ ...dump, rows: [...dump.rows, { ...common, body: other }] });
  expect(reasons(await assign(simulator, [{ address: range, compute_id: two }]))[0]).toMatch(/IPv6 range/);
});

test("part 3 section 4.3 rule 1: every address and instance must be in the stated region", async () => {
  const simulator = await running();
  const { one, extra } = await pair(simulator);
  const far = await instance(simulator, "eu-west");
  const field = async (address: string, compute_id: number, region: string) =>
    reasons(await assign(simulator, [{ address, compute_id }], region))[0]?.split(": ")[0];
  expect(await field(extra, far, "us-east")).toBe("assignments.0.compute_id");
  expect(await field(extra, far, "eu-west")).toBe("assignments.0.address");
  expect(await field(extra, one, "moon")).toBe("region");
});

test("part 3 section 4.3 rule 1: shared addresses cannot be swapped", async () => {
  const simulator = await running();
  const { two, extra } = await pair(simulator);
  await simulator.ok("POST", "/networking/ipv4/share", { compute_id: two, ips: [extra] });
  expect(reasons(await assign(simulator, [{ address: extra, compute_id: two }]))[0]).toMatch(
    /^assignments\.0\.address: .*shared/,
  );
});

test.each([
  {
    entry: { address: "198.18.0.2/24", compute_id: 1001 },
    field: "address",
    why: "an IPv4 address with a prefix length",
  },
  { entry: { address: "198.18.0.2" }, field: "compute_id", why: "no compute_id" },
  { entry: { compute_id: 1001 }, field: "address", why: "no address" },
])("an assignment is refused: $why", async ({ entry, field }) => {
  const simulator = await running();
  await pair(simulator);
  expect(reasons(await assign(simulator, [entry]))[0]?.split(": ")[0]).toBe(`assignments.0.${field}`);
});

test.each([
  { entry: { address: "198.18.9.9", compute_id: 1001 }, reason: "IP Address not found.", why: "of an unknown address" },
  {
    entry: { address: "198.18.0.2", compute_id: 999 },
    reason: "Invalid Compute ID 999",
    why: "to an unknown instance",
  },
])("as recorded, an assignment $why is refused without a field", async ({ entry, reason }) => {
  const simulator = await running();
  await pair(simulator);
  expect(reasons(await assign(simulator, [entry]))).toEqual([reason]);
});

test("a SLAAC address is not assigned, nor is one address twice", async () => {
  const simulator = await running();
  const { one, two, extra } = await pair(simulator);
  const { ipv6 } = await simulator.ok("GET", `/compute/instances/${one}`);
  const slaac = String(ipv6).replace("/128", "");
  expect((await assign(simulator, [{ address: slaac, compute_id: two }])).status).toBe(400);
  const twice = [one, two].map((compute_id) => ({ address: extra, compute_id }));
  expect((await assign(simulator, twice)).status).toBe(400);
});

test("part 3 section 4.3 rule 1: the caller needs read_write on all instances of an assignment", async () => {
  const simulator = await running();
  const { one, two, extra } = await pair(simulator);
  const status = async (compute: Record<string, string>) => {
    const grants = { account_access: null, global: {}, entities: { compute } };
    simulator.control.change("user", "demo-restricted", { grants });
    const body = { region: "us-east", assignments: [{ address: extra, compute_id: two }] };
    return (await simulator.call("POST", "/networking/ips/assign", body, { token: "demo-token-restricted" })).status;
  };
  expect(await status({ [one]: "read_write" })).toBe(400);
  expect(await status({ [one]: "read_only", [two]: "read_write" })).toBe(403);
  expect(await status({ [one]: "read_write", [two]: "read_only" })).toBe(403);
  expect(await status({ [one]: "read_write", [two]: "read_write" })).toBe(200);
});

test.each(["/v4/networking/ipv4/share", "/v4beta/networking/ips/share"])(
  "%s replaces what is shared with an instance",
  async (path) => {
    const simulator = await running();
    const { one, two, extra } = await pair(simulator);
    const shared = async () => {
      const { ipv4 } = (await simulator.ok("GET", `/compute/instances/${two}/ips`)) as {
        ipv4: { shared: { address: string }[] };
      };
      return ipv4.shared.map((row) => row.address);
    };
    expect(await simulator.ok("POST", path, { compute_id: two, ips: ["198.18.0.2"] })).toEqual({});
    expect(await shared()).toEqual(["198.18.0.2"]);
    await simulator.ok("POST", path, { compute_id: two, ips: [extra] });
    expect(await shared()).toEqual([extra]);
    await simulator.ok("POST", path, { compute_id: two, ips: [] });
    expect(await shared()).toEqual([]);
    expect(await publicOf(simulator, one)).toEqual(["198.18.0.2", extra]);
  },
);

test("ips/share is beta: v4 does not have it", async () => {
  const simulator = await running();
  const { two } = await pair(simulator);
  const reply = await simulator.call("POST", "/v4/networking/ips/share", { compute_id: two, ips: [] });
  expect(reply.status).toBe(405);
});

test("part 3 section 4.3 rule 2: private addresses and IPv6 ranges without prefix length are shared, too", async () => {
  const simulator = await running();
  const { one, two } = await pair(simulator);
  const { address } = await simulator.ok("POST", "/networking/ips", { type: "ipv4", public: false, compute_id: one });
  const created = await simulator.ok("POST", "/networking/ipv6/ranges", { prefix_length: 64, compute_id: one });
  const range = String(created["range"]).split("/")[0];
  await simulator.ok("POST", "/networking/ipv4/share", { compute_id: two, ips: [address, range] });
  expect(await simulator.ok("GET", `/compute/instances/${two}/ips`)).toMatchObject({
    ipv4: { shared: [{ address }] },
    ipv6: { global: [{ range }] },
  });
});

test("part 3 section 4.3 rule 2: what is shared must be in the region of the instance, of another instance, and the account's own", async () => {
  const simulator = await running();
  const { two } = await pair(simulator);
  await instance(simulator, "eu-west");
  const field = async (ip: string) =>
    reasons(await simulator.call("POST", "/networking/ipv4/share", { compute_id: two, ips: [ip] }))[0]?.split(": ")[0];
  expect(await field("198.18.0.5")).toBe("ips.0");
  expect(await field("198.18.0.3")).toBe("ips.0");
  expect(await field("198.18.9.9")).toBe("ips.0");
});

test("a deleted instance gives up its addresses, its range and what is shared with it", async () => {
  const simulator = await running();
  const { one, two, extra } = await pair(simulator);
  await simulator.ok("POST", "/networking/ipv6/ranges", { prefix_length: 64, compute_id: two });
  await simulator.ok("POST", "/networking/ipv4/share", { compute_id: two, ips: [extra] });
  await simulator.ok("DELETE", `/compute/instances/${two}`);
  await simulator.clock.advance(5_000);
  expect(simulator.control.rows("ipv6-range")).toEqual([]);
  expect((await assign(simulator, [{ address: extra, compute_id: one }])).status).toBe(200);
  expect((await simulator.call("GET", "/networking/ips/198.18.0.3")).status).toBe(404);
});
