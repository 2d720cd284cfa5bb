import { creationRequest } from "../../src/core/kind/fields.ts";
import { describe, expect, it } from "vitest";
import { firewall } from "../../src/kinds/networking/firewall.ts";
import { calls, changed, live } from "./live.ts";

const tcp = { action: "ACCEPT", protocol: "TCP", ports: "80, 443", ipv4: ["0.0.0.0/0"], ipv6: ["::/0"] };
const spec = { inboundPolicy: "DROP", outboundPolicy: "ACCEPT", inbound: [tcp] };
const there = {
  action: "ACCEPT",
  protocol: "TCP",
  ports: "80,443",
  addresses: { ipv4: ["0.0.0.0/0"], ipv6: ["::/0"] },
};
const wire = {
  id: 7,
  label: "web-1",
  status: "enabled",
  tags: [],
  rules: { inbound: [there], inbound_policy: "DROP", outbound: [], outbound_policy: "ACCEPT" },
  created: "2026-01-01T00:00:00",
};
const withRule = (rule: object) => ({ ...wire, rules: { ...wire.rules, inbound: [{ ...there, ...rule }] } });

describe("creation", () => {
  it("is one call with rules and devices", () => {
    const refs = { instanceRefs: [{ id: "11" }, { id: "12" }, { id: "11" }] };
    const wanted = live(firewall, { spec: { ...spec, enabled: false, instanceRefs: [] }, refs });
    const call = creationRequest(firewall, wanted);
    expect(call).toMatchObject({ method: "POST", path: "/networking/firewalls" });
    expect(call?.body).toEqual({
      label: "web-1",
      rules: { inbound: [there], inbound_policy: "DROP", outbound: [], outbound_policy: "ACCEPT" },
      devices: { computes: [11, 12] },
    });
  });

  it("leaves a disabled firewall to be disabled by an update", () => {
    expect(changed(firewall, { spec: { ...spec, enabled: false }, wire })).toEqual(["status"]);
  });
});

describe("rules that say the same are not sent", () => {
  it.each([
    { because: "a space after a comma means nothing", row: withRule({ ports: "80, 443" }) },
    { because: "null is no label", row: withRule({ label: null, description: null }) },
    { because: "the order of addresses means nothing", row: wire, rule: { ...tcp, ipv4: ["0.0.0.0/0"] } },
    {
      because: "an IPv6 network has many spellings",
      row: withRule({ addresses: { ipv6: ["2001:db8::/64"] } }),
      rule: { ...tcp, ipv4: undefined, ipv6: ["2001:DB8:0:0::/64"] },
    },
    {
      because: "an empty list is no networks",
      row: withRule({ addresses: { ipv4: ["0.0.0.0/0"] } }),
      rule: { ...tcp, ipv6: [] },
    },
    {
      because: "null is no ports",
      row: withRule({ ports: null, protocol: "ICMP" }),
      rule: { ...tcp, protocol: "ICMP", ports: undefined },
    },
  ])("$because", ({ row, rule = tcp }) => {
    expect(calls(firewall, "rules", { spec: { ...spec, inbound: [rule] }, wire: row })).toEqual([]);
  });
});

describe("rules that differ are replaced as a whole", () => {
  it.each([
    { because: "a port is missing", row: withRule({ ports: "80" }) },
    { because: "an address is missing", row: withRule({ addresses: { ipv4: ["0.0.0.0/0"] } }) },
    { because: "somebody labelled a rule", row: withRule({ label: "other" }) },
    { because: "a policy differs", row: { ...wire, rules: { ...wire.rules, outbound_policy: "DROP" } } },
    {
      because: "order decides",
      row: { ...wire, rules: { ...wire.rules, inbound: [there, { ...there, action: "DROP" }] } },
    },
  ])("$because", ({ row }) => {
    const [call, ...others] = calls(firewall, "rules", { spec, wire: row });
    expect(call).toBe(
      `PUT /networking/firewalls/7/rules ${JSON.stringify(creationRequest(firewall, live(firewall, { spec })).body?.["rules"])}`,
    );
    expect(others).toEqual([]);
  });
});

describe("devices", () => {
  const device = (id: number, instance: number, type = "compute") => ({ id, entity: { id: instance, type } });
  const refs = { instanceRefs: [{ id: "11" }, { id: "12" }] };

  it("are attached before others are detached, and what is no instance stays", () => {
    const current = [device(1, 11), device(2, 13), device(3, 14, "nodebalancer")];
    expect(calls(firewall, "devices", { spec: { ...spec, instanceRefs: [] }, refs, wire }, current)).toEqual([
      'POST /networking/firewalls/7/devices {"id":12,"type":"compute"}',
      "DELETE /networking/firewalls/7/devices/2",
    ]);
  });

  it.each([
    ["an entity of null", { id: 3, entity: null }],
    ["no entity", { id: 3 }],
    ["a type that is not known", device(3, 14, "a_new_word")],
    ["a type of null", { id: 3, entity: { id: 14, type: null } }],
    ["an entity without a number", { id: 3, entity: { type: "compute" } }],
    ["null in its place", null],
  ])("of an odd form lead to no call, and to no error: %s", (_, odd) => {
    const wanted = { spec: { ...spec, instanceRefs: [] }, refs, wire };
    expect(calls(firewall, "devices", wanted, [device(1, 11), odd, device(2, 12)])).toEqual([]);
    const report = firewall.report(live(firewall, wanted), { devices: [odd, device(1, 11)] });
    expect(report).toMatchObject({ devices: [{ id: "1", instanceID: "11" }] });
  });

  it("are neither read nor touched where the spec does not name any", () => {
    expect(firewall.steps?.["devices"]?.read?.(live(firewall, { spec, wire }))).toBeUndefined();
    expect(calls(firewall, "devices", { spec, wire }, [device(1, 11)])).toEqual([]);
  });

  it("are reported with the instance of each", () => {
    const report = firewall.report(live(firewall, { spec: { ...spec, instanceRefs: [] }, refs, wire }), {
      devices: [device(1, 11)],
    });
    expect(report).toEqual({
      state: "enabled",
      created: "2026-01-01T00:00:00Z",
      devices: [{ id: "1", instanceID: "11" }],
    });
  });
});
