import { creationRequest, naturalKey, shows } from "../../src/core/kind/fields.ts";
import { describe, expect, it } from "vitest";
import { domainRecord } from "../../src/kinds/domains/domain-record.ts";
import { domain } from "../../src/kinds/domains/domain.ts";
import { changed, live } from "./live.ts";

const spec = { domain: "example.org", type: "master", soaEmail: "dns@example.org" };
const wire = {
  id: 7,
  domain: "example.org",
  type: "master",
  status: "active",
  soa_email: "dns@example.org",
  description: "",
  group: "",
  master_ips: [],
  axfr_ips: ["2001:db8::53", "192.0.2.53"],
  ttl_sec: 0,
  refresh_sec: 14400,
  retry_sec: 0,
  expire_sec: 0,
  tags: ["b", "a"],
};

describe("a domain is not updated where", () => {
  it.each([
    { because: "0 and the default are the same time to live", more: { ttlSeconds: 86400 } },
    { because: "the default and 0 are the same refresh time", more: { refreshSeconds: 0 } },
    { because: "0 stands for 0", more: { retrySeconds: 0, expireSeconds: 1209600 } },
    { because: "order and spelling of addresses mean nothing", more: { axfrIPs: ["192.0.2.53", "2001:DB8::0:53"] } },
    { because: "order of tags means nothing", more: { tags: ["a", "b"] } },
    { because: "what the spec does not say is left alone", more: {} },
  ])("$because", ({ more }) => {
    expect(changed(domain, { spec: { ...spec, ...more }, wire })).toEqual([]);
  });
});

describe("a domain is updated where", () => {
  it.each([
    { field: "ttl_sec", more: { ttlSeconds: 300 } },
    { field: "status", more: { enabled: false } },
    { field: "axfr_ips", more: { axfrIPs: [] } },
    { field: "soa_email", more: { soaEmail: "other@example.org" } },
    { field: "group", more: { group: "shop" } },
  ])("$field differs", ({ field, more }) => {
    expect(changed(domain, { spec: { ...spec, ...more }, wire })).toEqual([field]);
  });
});

describe("a domain is made", () => {
  function creation(more: object, refs = {}) {
    const wanted = live(domain, { spec: { ...spec, ...more }, refs });
    return creationRequest(domain, wanted);
  }

  it("by its fields", () => {
    expect(creation({})).toMatchObject({
      path: "/domains",
      body: { domain: "example.org", type: "master", soa_email: "dns@example.org" },
    });
  });

  it("by a zone transfer", () => {
    expect(creation({ source: { import: { remoteNameserver: "ns1.example.net" } } })).toMatchObject({
      path: "/domains/import",
      body: { domain: "example.org", remote_nameserver: "ns1.example.net" },
    });
  });

  it("as a copy of another, by no more than its name", () => {
    const call = creation({ source: { clone: { domainRef: { id: "3" } } } }, { "source.clone.domainRef": { id: "3" } });
    expect(call?.path).toBe("/domains/3/clone");
    expect(call?.body).toEqual({ domain: "example.org" });
  });
});

const record = {
  id: 9,
  type: "A",
  name: "www",
  target: "192.0.2.1",
  priority: 0,
  weight: 0,
  port: 0,
  service: null,
  protocol: null,
  tag: null,
  ttl_sec: 0,
};
const sip = {
  type: "SRV",
  service: "sip",
  protocol: "tcp",
  target: "sip.example.net",
  port: 5060,
  priority: 10,
  weight: 5,
};

describe("a record that says the same is not updated", () => {
  it.each([
    { because: "host names have no case", spec: { type: "A", name: "WWW", target: "192.0.2.1" }, row: {} },
    {
      because: "a trailing period means nothing",
      spec: { type: "CNAME", name: "www", target: "web.example.org." },
      row: { type: "CNAME", target: "web.example.org" },
    },
    {
      because: "the cloud keeps the period",
      spec: { type: "MX", target: "mail.example.net" },
      row: { type: "MX", name: "", target: "Mail.example.net." },
    },
    {
      because: "an IPv6 address has many spellings",
      spec: { type: "AAAA", name: "www", target: "2001:DB8:0::1" },
      row: { type: "AAAA", target: "2001:db8::1" },
    },
    {
      because: "a zone file has quotes around text",
      spec: { type: "TXT", target: '"v=spf1 -all"' },
      row: { type: "TXT", name: null, target: "v=spf1 -all" },
    },
    { because: "the cloud builds the name of an SRV record", spec: sip, row: { ...sip, name: "_sip._tcp" } },
    {
      because: "the cloud adds underscores",
      spec: sip,
      row: { ...sip, name: "_sip._tcp", service: "_sip.", protocol: "_tcp" },
    },
  ])("$because", ({ spec: wanted, row }) => {
    expect(changed(domainRecord, { spec: wanted, wire: { ...record, ...row } })).toEqual([]);
  });
});

const zone = { domainRef: { id: "12", name: "example-org", spec: { domain: "example.org" } } };
const unmanagedZone = { domainRef: { id: "12", row: { domain: "Example.org" } } };

describe.each([
  { of: "a Domain", refs: zone },
  { of: "a domain by its id", refs: unmanagedZone },
])("names in $of", ({ refs }) => {
  it.each([
    { written: "www", relative: "www" },
    { written: "www.example.org", relative: "www" },
    { written: "WWW.Example.org.", relative: "www" },
    { written: "*.shop.example.org", relative: "*.shop" },
    { written: "example.org", relative: "" },
    { written: "example.org.", relative: "" },
    { written: "notexample.org", relative: "notexample.org" },
    { written: undefined, relative: "" },
  ])("$written is kept as $relative", ({ written, relative }) => {
    const wanted = live(domainRecord, { spec: { type: "A", name: written, target: "192.0.2.1" }, refs });
    expect(naturalKey(domainRecord, wanted)).toMatchObject({ name: relative });
    expect(creationRequest(domainRecord, wanted).body).toMatchObject({ name: relative });
  });

  it.each([
    { written: "Sub.", kept: "sub." },
    { written: "sub.example.org", kept: "sub.example.org" },
    { written: "sip.example.net.", kept: "sip.example.net" },
  ])("an SRV target $written is kept as $kept", ({ written, kept }) => {
    const spec = { ...sip, target: written };
    expect(naturalKey(domainRecord, live(domainRecord, { spec, refs }))).toMatchObject({ target: kept });
    expect(changed(domainRecord, { spec, refs, wire: { ...record, ...sip, name: "_sip._tcp", target: kept } })).toEqual(
      [],
    );
  });
});

it("a domain is known in whatever case it is shown", () => {
  const wanted = live(domain, { spec, name: "zone" });
  expect(shows(domain, { ...wire, domain: "Example.ORG" }, naturalKey(domain, wanted))).toBe(true);
});

it("a record whose text has quotes in the cloud differs from one without", () => {
  const row = { ...record, type: "TXT", name: "", target: '"v=spf1 -all"' };
  for (const target of ["v=spf1 -all", '"v=spf1 -all"'])
    expect(changed(domainRecord, { spec: { type: "TXT", target }, wire: row }), target).toEqual(["target"]);
});

it("an update of a null MX sends an empty target, as the cloud API writes it", () => {
  const refs = { domainRef: { id: "12" } };
  const parts = live(domainRecord, { spec: { type: "MX", target: "." }, refs, list: "/domains/12/records" } as never);
  expect(domainRecord.verbs?.update?.(parts, { target: "." })).toEqual({
    method: "PUT",
    path: "/domains/12/records/7",
    body: { target: "" },
  });
  expect(
    changed(domainRecord, { spec: { type: "MX", target: "." }, wire: { ...record, type: "MX", name: "", target: "" } }),
  ).toEqual([]);
});

describe("a record", () => {
  it("is never sent its type in an update", () => {
    expect(
      changed(domainRecord, { spec: { type: "A", name: "web", target: "192.0.2.2", ttlSeconds: 300 }, wire: record }),
    ).toEqual(["name", "target", "ttl_sec"]);
  });

  it("keeps text as it is, case and periods included", () => {
    const spec = { type: "TXT", target: "Ends with a period." };
    expect(
      creationRequest(domainRecord, live(domainRecord, { spec, refs: { domainRef: { id: "12" } } })).body,
    ).toMatchObject({ target: "Ends with a period." });
  });

  it.each([
    {
      because: "by content",
      spec: { type: "A", name: "www", target: "192.0.2.1" },
      key: { type: "A", name: "www", target: "192.0.2.1" },
    },
    {
      because: "of the domain itself by an empty name",
      spec: { type: "TXT", target: "a" },
      key: { type: "TXT", name: "", target: "a" },
    },
    {
      because: "MX by priority too",
      spec: { type: "MX", target: "a.example.", priority: 10 },
      key: { type: "MX", name: "", target: "a.example", priority: 10 },
    },
    {
      because: "CAA by tag too",
      spec: { type: "CAA", tag: "iodef", target: "a" },
      key: { type: "CAA", name: "", target: "a", tag: "iodef" },
    },
    {
      because: "SRV by service and protocol, of which the cloud builds the name",
      spec: sip,
      key: {
        type: "SRV",
        service: "sip",
        protocol: "tcp",
        target: "sip.example.net",
        port: 5060,
        priority: 10,
        weight: 5,
      },
    },
  ])("is told from others $because", ({ spec: wanted, key }) => {
    expect(naturalKey(domainRecord, live(domainRecord, { spec: wanted }))).toEqual(key);
  });

  it("is kept in the list of its domain", () => {
    expect(domainRecord.listPath(live(domainRecord, { spec: {}, refs: { domainRef: { id: "12" } } }))).toBe(
      "/domains/12/records",
    );
  });
});
