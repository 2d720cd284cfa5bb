/** The words of the cloud API that a kind sends and reads are said to people in the words of its spec. */
import { expect, it } from "vitest";
import { catalogs } from "../../src/core/kind/catalog.ts";
import { specField } from "../../src/core/kind/spec-path.ts";
import { kinds, mirrors } from "../../src/kinds/registry.ts";

/** What follows from no field of the spec. */
const ownWords: Record<string, string[]> = {
  BucketCertificate: ["ssl"],
  DatabaseBackup: ["type"],
  IPAddress: ["type"],
};

it.each(kinds)("$kind: each field of the body is a field of the spec, or follows from none", (kind) => {
  const unknown = Object.keys(kind.fields).filter((name) => name !== "rules" && !specField(kind, name));
  expect(unknown).toEqual(ownWords[kind.kind] ?? []);
});

it.each([
  { of: "ComputeInstance", word: "backup_id", says: "source.backup" },
  { of: "ComputeInstance", word: "interfaces[1].ipam_address", says: "interfaces[1].ipamAddress" },
  { of: "ComputeInstance", word: "metadata.user_data", says: "userDataSecretRef" },
  { of: "Firewall", word: "rules.inbound[0].ports", says: "inbound[0].ports" },
  { of: "Firewall", word: "rules.outbound[12].addresses.ipv4[3]", says: "outbound[12].ipv4[3]" },
  { of: "ManagedMySQL", word: "updates.week_of_month", says: "maintenance.weekOfMonth" },
  { of: "ManagedMySQL", word: "allow_list[0]", says: "allowList[0]" },
  { of: "Domain", word: "axfr_ips", says: "axfrIPs" },
  { of: "ComputeAction", word: "type", says: "type" },
])("$of: $word is spec.$says", ({ of, word, says }) => {
  const kind = kinds.find((one) => one.kind === of);
  expect(kind && specField(kind, word)?.path).toBe(says);
});

it("what a spec says in any form is said as the cloud has it", () => {
  const kind = kinds.find((one) => one.kind === "ProfilePreferences");
  const value = { theme: "dark", sort: { volumes: "label" } };
  expect(kind && specField(kind, "preferences")?.said(value)).toEqual(value);
});

it("catalogs are read where their mirrors read them", () => {
  for (const { kind, path } of mirrors)
    if (Object.hasOwn(catalogs, kind)) expect(catalogs[kind as keyof typeof catalogs].path).toBe(path);
});

it.each(kinds)("$kind: each reference is called as a field of the spec", ({ spec, references = {} }) => {
  const names = Object.entries(references).map(([name, one]) => ("specField" in one && one.specField) || name);
  const unknown = names.filter((name) => specField({ spec }, name)?.path !== name);
  expect(unknown).toEqual([]);
});

it.each([...kinds, ...mirrors])(
  "$kind: no column shows a time to come as an age, which kubectl cannot",
  ({ columns }) => {
    const ages = columns.filter(({ type }) => type === "date").map(({ jsonPath }) => jsonPath);
    expect(ages.filter((path) => !/(created|enrolled|started|built|readAt)$/.test(path))).toEqual([]);
  },
);
