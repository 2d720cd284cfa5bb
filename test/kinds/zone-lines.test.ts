/** Records as zone files contain them: the specs are accepted, and the simulator serves what the zone file says. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/api/types.ts";
import { creationRequest, differencesIn, naturalKey } from "../../src/core/kind/fields.ts";
import { observedSpec } from "../../src/core/kind/observed.ts";
import { observedFields } from "../../src/core/kind/words.ts";
import { domainRecord } from "../../src/kinds/domains/domain-record.ts";
import { textMeant, writtenText } from "../../src/kinds/domains/record-text.ts";
import { startSimulator } from "../../src/simulator/simulator.ts";
import type { Simulator } from "../../src/simulator/simulator.ts";
import { live } from "./live.ts";

const key = "A".repeat(300);

const lines: { because: string; spec: Record<string, unknown>; served: string }[] = [
  {
    because: "strings of a TXT record are joined",
    spec: { type: "TXT", name: "sel._domainkey", target: '"v=DKIM1; k=rsa; p=AAAA" "BBBB"' },
    served: 'sel._domainkey\t\tTXT\t"v=DKIM1; k=rsa; p=AAAABBBB"',
  },
  {
    because: "parentheses around strings mean nothing",
    spec: { type: "TXT", name: "sel._domainkey", target: `( "p=${key.slice(0, 200)}" "${key.slice(200)}" )` },
    served: `sel._domainkey\t\tTXT\t"p=${key.slice(0, 253)}" "${key.slice(253)}"`,
  },
  {
    because: "one string in quotes loses them",
    spec: { type: "TXT", target: '"v=spf1 mx -all"' },
    served: '@\t\tTXT\t"v=spf1 mx -all"',
  },
  {
    because: "a quote inside a string is escaped",
    spec: { type: "TXT", target: String.raw`"say \"hello\"\; \195\164"` },
    served: String.raw`@		TXT	"say \"hello\"; \195\164"`,
  },
  {
    because: "text that only contains quotes keeps them",
    spec: { type: "TXT", target: 'a "b" c' },
    served: String.raw`@		TXT	"a \"b\" c"`,
  },
  {
    because: "a line break at the end of a TXT record goes",
    spec: { type: "TXT", target: "site-verification=abc\n" },
    served: '@\t\tTXT\t"site-verification=abc"',
  },
  {
    because: "an escaped semicolon outside quotes is a semicolon",
    spec: { type: "TXT", name: "sel._domainkey", target: String.raw`v=DKIM1\; k=rsa\; p=AAAA` },
    served: 'sel._domainkey\t\tTXT\t"v=DKIM1; k=rsa; p=AAAA"',
  },
  {
    because: "a space before a string means nothing",
    spec: { type: "TXT", target: ' "abc"' },
    served: '@\t\tTXT\t"abc"',
  },
  {
    because: "parameters of a CAA record stay",
    spec: { type: "CAA", tag: "issue", target: '"letsencrypt.org; validationmethods=dns-01"' },
    served: '@\t\tCAA\t0 issue "letsencrypt.org; validationmethods=dns-01"',
  },
  {
    because: "reports go to an address",
    spec: { type: "CAA", tag: "iodef", target: "mailto:security@example.org" },
    served: '@\t\tCAA\t0 iodef "mailto:security@example.org"',
  },
  {
    because: "a name has a wildcard as its first label",
    spec: { type: "A", name: "*.shop", target: "192.0.2.9" },
    served: "*.shop\t\tA\t192.0.2.9",
  },
  {
    because: "quotes around the value of a CAA record go",
    spec: { type: "CAA", tag: "issue", target: '"letsencrypt.org"' },
    served: '@\t\tCAA\t0 issue "letsencrypt.org"',
  },
  {
    because: "a semicolon alone permits no authority",
    spec: { type: "CAA", tag: "issuewild", target: '";"' },
    served: '@\t\tCAA\t0 issuewild ";"',
  },
  {
    because: "a full name in the domain is the host",
    spec: { type: "A", name: "WWW.Example.org.", target: "192.0.2.9" },
    served: "www\t\tA\t192.0.2.9",
  },
  {
    because: "a name with the domain twice is what it says",
    spec: { type: "A", name: "www.example.org.example.org", target: "192.0.2.9" },
    served: "www.example.org\t\tA\t192.0.2.9",
  },
  {
    because: "a full target needs no period at its end",
    spec: { type: "CNAME", name: "shop", target: "www.example.net" },
    served: "shop\t\tCNAME\twww.example.net.",
  },
  {
    because: "a top-level name has a period at its end",
    spec: { type: "CNAME", name: "store", target: "server1." },
    served: "store\t\tCNAME\tserver1.",
  },
  {
    because: "a top-level target of an SRV record is not completed with the domain",
    spec: { type: "SRV", service: "sip", protocol: "tcp", target: "server1.", port: 1, priority: 1, weight: 1 },
    served: "_sip._tcp\t\tSRV\t1 1 1 server1.",
  },
  {
    because: "a period alone is a null MX",
    spec: { type: "MX", target: ".", priority: 0 },
    served: "@\t\tMX\t0 .",
  },
  {
    because: "a period alone is an SRV record without a target",
    spec: { type: "SRV", service: "imap", protocol: "tcp", target: ".", port: 0, priority: 0, weight: 0 },
    served: "_imap._tcp\t\tSRV\t0 0 0 .",
  },
  {
    because: "a protocol carries the subdomain of a service",
    spec: {
      type: "SRV",
      service: "minecraft",
      protocol: "tcp.play",
      target: "a.example.net",
      port: 1,
      priority: 1,
      weight: 1,
    },
    served: "_minecraft._tcp.play\t\tSRV\t1 1 1 a.example.net.",
  },
  {
    because: "the domain at the end of a protocol is the same subdomain",
    spec: {
      type: "SRV",
      service: "sip",
      protocol: "tcp.play.example.org",
      target: "a.example.net",
      port: 1,
      priority: 1,
      weight: 1,
    },
    served: "_sip._tcp.play\t\tSRV\t1 1 1 a.example.net.",
  },
  {
    because: "an address of an instance has a prefix",
    spec: { type: "AAAA", name: "www", target: "2001:DB8::1/128" },
    served: "www\t\tAAAA\t2001:db8::1",
  },
  {
    because: "an IPv4 address can have one, too",
    spec: { type: "A", name: "www", target: "192.0.2.9/32" },
    served: "www\t\tA\t192.0.2.9",
  },
  {
    because: "a time to live of 30 seconds stays",
    spec: { type: "A", name: "www", target: "192.0.2.9", ttlSeconds: 30 },
    served: "www\t30\tA\t192.0.2.9",
  },
  {
    because: "a time to live of two minutes stays",
    spec: { type: "A", name: "www", target: "192.0.2.9", ttlSeconds: 120 },
    served: "www\t120\tA\t192.0.2.9",
  },
];

const domainRef = { name: "zone" };

describe("a zone line is served as it was written", () => {
  let simulator: Simulator;
  let id: number;
  const call = async (method: string, path: string, body?: object): Promise<JsonObject> => {
    const headers = { authorization: "Bearer demo-token", "content-type": "application/json" };
    const answer = await fetch(`${simulator.url}/v4${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    return (await answer.json()) as JsonObject;
  };
  beforeAll(async () => {
    simulator = await startSimulator({ token: "demo-token" });
    const zone = { domain: "example.org", type: "master", soa_email: "ada@example.org" };
    id = (await call("POST", "/domains", zone))["id"] as number;
  });
  afterAll(() => simulator.close());

  it.each(lines)("$because", async ({ spec, served }) => {
    expect(domainRecord.spec.safeParse({ ...spec, domainRef }).error?.issues).toBeUndefined();
    const refs = { domainRef: { id: String(id), name: "zone", spec: { domain: "example.org" } } };
    const wanted = live(domainRecord, { spec: { ...spec, domainRef }, refs });
    const { method, path, body } = creationRequest(domainRecord, wanted);
    const row = domainRecord.wire.parse(await call(method, path, body)) as JsonObject;
    const { zone_file: text } = (await call("GET", `/domains/${id}/zone-file`)) as { zone_file: string[] };
    expect(text).toContain(served);
    // The value that the service stores is no difference, and a spec can say it.
    expect(differencesIn(domainRecord, wanted, row)).toEqual([]);
    const observed = observedSpec(domainRecord, wanted, observedFields(domainRecord, row));
    const again = live(domainRecord, { spec: { ...spec, ...observed, domainRef }, refs });
    expect(naturalKey(domainRecord, again)["target"]).toEqual(naturalKey(domainRecord, wanted)["target"]);
    expect(observed).toHaveProperty("target");
  });
});

describe("text of a row has a spelling for the spec", () => {
  it.each([
    ["without quotes", "v=spf1 -all"],
    ["in quotes", '"v=spf1 -all"'],
    ["in quotes, with an escape", String.raw`"a\"b"`],
    ["with a quote inside", 'a "b" c'],
    ["with a line break at its end", "abc\n"],
    ["with a line break inside", "a\nb"],
    ["with a backslash", String.raw`a\b`],
    ["of two strings", '"a" "b"'],
    ["with text after a string", '"v=spf1" -all'],
    ["with a quote at its beginning", '"abc'],
    ["with an escaped semicolon", String.raw`a\;b`],
    ["of a space", " "],
  ])("%s", (_, text) => {
    expect(textMeant(writtenText(text))).toBe(text);
    const spec = { domainRef, type: "TXT", target: writtenText(text) };
    expect(domainRecord.spec.safeParse(spec).error?.issues).toBeUndefined();
  });
});
