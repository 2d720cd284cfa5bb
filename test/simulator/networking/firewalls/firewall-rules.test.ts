import { expect, test } from "vitest";
import { reasons, running } from "../../running.ts";
import { RULE, RULES, actions, firewall, ruleTimes } from "./firewall-bodies.ts";

const networks = (count: number) => Array.from({ length: count }, (_, index) => `10.0.${index % 256}.0/24`);

test("the rules are replaced as a whole and tell firewall_update", async () => {
  const simulator = await running();
  const edge = await firewall(simulator, "edge");
  const first = { ...RULES, inbound: [RULE], outbound: [RULE, RULE] };
  const stored = await simulator.ok("PUT", `${edge}/rules`, first);
  expect(stored).toEqual({
    ...RULES,
    inbound: [RULE],
    outbound: [RULE, RULE],
    version: 2,
    fingerprint: expect.stringMatching(/^[0-9a-f]{8}$/) as string,
  });
  expect(await simulator.ok("GET", `${edge}/rules`)).toEqual(stored);
  expect((await simulator.ok("GET", edge))["rules"]).toEqual(stored);
  const emptied = await simulator.ok("PUT", `${edge}/rules`, { inbound_policy: "ACCEPT" });
  expect(emptied).toMatchObject({ inbound: [], inbound_policy: "ACCEPT", outbound: [], outbound_policy: "ACCEPT" });
  expect(await actions(simulator)).toEqual(["firewall_update", "firewall_update", "firewall_create"]);
});

test.each([
  { rule: { ...RULE, action: undefined }, field: "action", why: "action is required" },
  { rule: { ...RULE, action: "ALLOW" }, field: "action", why: "action is ACCEPT or DROP" },
  { rule: { ...RULE, protocol: undefined }, field: "protocol", why: "protocol is required" },
  { rule: { ...RULE, protocol: "SCTP" }, field: "protocol", why: "an unknown protocol" },
  { rule: { ...RULE, addresses: undefined }, field: "addresses", why: "addresses are required" },
  { rule: { ...RULE, addresses: {} }, field: "addresses", why: "at least one of ipv4 and ipv6" },
  { rule: { ...RULE, addresses: { ipv4: null, ipv6: null } }, field: "addresses", why: "null is unset" },
  { rule: { ...RULE, addresses: { ipv4: [] } }, field: "addresses.ipv4", why: "lists must not be empty" },
  { rule: { ...RULE, addresses: { ipv4: ["::/0"] } }, field: "addresses.ipv4.0", why: "IPv6 under ipv4" },
  { rule: { ...RULE, addresses: { ipv6: ["0.0.0.0/0"] } }, field: "addresses.ipv6.0", why: "IPv4 under ipv6" },
  { rule: { ...RULE, addresses: { ipv4: ["10.0.0.1"] } }, field: "addresses.ipv4.0", why: "not in IP/mask form" },
  { rule: { ...RULE, addresses: { ipv4: ["10.0.0.0/33"] } }, field: "addresses.ipv4.0", why: "a mask beyond 32" },
  { rule: { ...RULE, addresses: { ipv6: ["fe80::1%eth0/64"] } }, field: "addresses.ipv6.0", why: "a zone" },
  { rule: { ...RULE, addresses: { ipv6: ["::/129"] } }, field: "addresses.ipv6.0", why: "a mask beyond 128" },
  { rule: { ...RULE, addresses: { ipv4: networks(256) } }, field: "addresses", why: "more than 255 networks" },
  {
    rule: { ...RULE, addresses: { ipv4: networks(255), ipv6: ["::/0"] } },
    field: "addresses",
    why: "more than 255 in both families together",
  },
  { rule: { ...RULE, label: "ab" }, field: "label", why: "a rule label has 3..32 characters" },
  { rule: { ...RULE, label: "a".repeat(33) }, field: "label", why: "a rule label has 3..32 characters" },
  { rule: { ...RULE, description: "" }, field: "description", why: "a description has 1..100 characters" },
  { rule: { ...RULE, description: "a".repeat(101) }, field: "description", why: "a description has 1..100 characters" },
  { rule: { ...RULE, protocol: "ICMP", ports: "80" }, field: "ports", why: "ports with ICMP" },
  { rule: { ...RULE, protocol: "IPENCAP", ports: "80" }, field: "ports", why: "ports with IPENCAP" },
])("a firewall rule is refused: $why", async ({ rule, field }) => {
  const simulator = await running();
  const edge = await firewall(simulator, "edge");
  const update = await simulator.call("PUT", `${edge}/rules`, { ...RULES, outbound: [RULE, rule] });
  expect([update.status, reasons(update)[0]?.split(": ")[0]]).toEqual([400, `outbound.1.${field}`]);
  const rules = { ...RULES, inbound: [rule] };
  const create = await simulator.call("POST", "/networking/firewalls", { label: "other", rules });
  expect([create.status, reasons(create)[0]?.split(": ")[0]]).toEqual([400, `rules.inbound.0.${field}`]);
});

test.each([
  { ports: "0", why: "ports begin at 1" },
  { ports: "65536", why: "ports end at 65535" },
  { ports: "1-65536", why: "a range beyond 65535" },
  { ports: "080", why: "a leading zero" },
  { ports: "443-80", why: "the end of a range before its start" },
  { ports: "80-80", why: "the end of a range must exceed the start" },
  { ports: "80-90-100", why: "a range with three ends" },
  { ports: "80,", why: "nothing after a comma" },
  { ports: "80,  443", why: "two spaces after a comma" },
  { ports: "80 ,443", why: "a space before a comma" },
  { ports: "http", why: "a name" },
  { ports: "", why: "an empty string" },
  { ports: Array.from({ length: 16 }, (_, index) => index + 1).join(), why: "16 single ports" },
  { ports: `${Array.from({ length: 14 }, (_, index) => index + 1).join()},80-90`, why: "a range is two pieces" },
])("ports are refused: $why", async ({ ports }) => {
  const simulator = await running();
  const edge = await firewall(simulator, "edge");
  const reply = await simulator.call("PUT", `${edge}/rules`, { inbound: [{ ...RULE, ports }] });
  expect([reply.status, reasons(reply)[0]?.split(": ")[0]]).toEqual([400, "inbound.0.ports"]);
});

test.each([
  { rule: { ...RULE, ports: "1-65535" }, why: "the widest range" },
  { rule: { ...RULE, protocol: "UDP", ports: "53,67-68, 123" }, why: "ports, a range, and a space after a comma" },
  { rule: { ...RULE, ports: Array.from({ length: 15 }, (_, index) => index + 1).join() }, why: "15 pieces" },
  { rule: { ...RULE, protocol: "ICMP" }, why: "ICMP without ports" },
  { rule: { ...RULE, addresses: { ipv4: networks(254), ipv6: ["::/0"] } }, why: "255 networks in both families" },
  { rule: { ...RULE, addresses: { ipv6: ["2001:db8::1/128"] } }, why: "a single address in IP/mask form" },
])("a firewall rule is stored: $why", async ({ rule }) => {
  const simulator = await running();
  const edge = await firewall(simulator, "edge");
  const { inbound } = await simulator.ok("PUT", `${edge}/rules`, { inbound: [rule] });
  expect(inbound).toEqual([rule]);
});

test("a firewall has at most 25 rules across inbound and outbound", async () => {
  const simulator = await running();
  const edge = await firewall(simulator, "edge");
  const body = (inbound: number, outbound: number) => ({
    ...RULES,
    inbound: ruleTimes(inbound),
    outbound: ruleTimes(outbound),
  });
  await simulator.ok("PUT", `${edge}/rules`, body(12, 13));
  for (const [inbound, outbound] of [
    [13, 13],
    [26, 0],
  ] as const) {
    const reply = await simulator.call("PUT", `${edge}/rules`, body(inbound, outbound));
    expect([reply.status, reasons(reply)[0]]).toEqual([400, expect.stringMatching(/^rules: .*25/)]);
  }
  const create = { label: "other", rules: body(1, 25) };
  expect((await simulator.call("POST", "/networking/firewalls", create)).status).toBe(400);
});
