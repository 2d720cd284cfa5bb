import * as z from "zod";
import { exactlyOneOf } from "../../core/kind/rules.ts";
import { immutable, referenceTo } from "../../core/kind/schema.ts";
import { defineSetting } from "../../core/kind/setting.ts";
import { canonicalHost, domainName, hostShared } from "../domains/names.ts";
import { canonical, ownAddress } from "./address.ts";
import { ipRow } from "./ip-row.ts";
import { optionalText } from "../text.ts";

const fields = z.object({
  instanceRef: immutable(referenceTo("ComputeInstance"))
    .describe("The instance whose first public IPv4 address is meant. Cannot be changed.")
    .optional(),
  address: immutable(ownAddress("A public address of the account. Cannot be changed.")).optional(),
  hostname: domainName("The name. It must resolve to the address already."),
});

const spec = exactlyOneOf(fields, ["instanceRef", "address"], { fieldPath: ".instanceRef" });

/** The name that an address resolves to: part 3, section 4.3; not-shown, section 3. */
export const reverseDNS = defineSetting({
  kind: "ReverseDNS",
  plural: "reversedns",
  shortNames: ["cprdns"],
  doc: "The name that a public IP address of the account resolves to. Deleting the object sets the cloud's own name again.",
  columns: [
    { name: "Address", jsonPath: ".status.id" },
    { name: "Hostname", jsonPath: ".status.hostname" },
  ],
  spec,
  status: z.object({ hostname: optionalText(253, "The name that the address resolves to.") }),
  wire: ipRow,
  references: { instanceRef: { kind: "ComputeInstance", from: (of) => of.instanceRef, contained: true } },
  at: () => "/networking/ips",
  identify: (wire) => canonical(wire.address),
  which: ({ spec: { address: named }, refs }, rows) =>
    named === undefined ? firstOf(rows, Number(refs.instanceRef?.id)) : canonical(named),
  part: "rdns",
  reach: "own",
  fields: {
    rdns: {
      says: "hostname",
      want: ({ spec: { hostname } }) => hostname,
      have: (wire) => wire.rdns && canonicalHost(wire.rdns),
    },
  },
  undo: ({ path }) => ({ method: "PUT", path, body: { rdns: null } }),
  shares: ({ spec: { hostname } }) => [hostShared(hostname)],
  report: ({ wire }) => ({ hostname: wire.rdns ?? undefined }),
  examples: [
    {
      name: "mail",
      doc: "The name of a mail server. An address under nip.io resolves to itself.",
      spec: { instanceRef: { name: "mail-1" }, hostname: "mail.example.org" },
      needs: [{ kind: "ComputeInstance", example: "empty", name: "mail-1" }],
    },
    {
      name: "mail-ipv6",
      doc: "The name of an address, whosever it is.",
      spec: { address: "2001:db8::f03c:91ff:fe24:3a2f", hostname: "mail.example.org" },
      shownOnly: true,
    },
  ],
});

interface Address {
  address: string;
  type?: string | null | undefined;
  public?: boolean | null | undefined;
  compute_id?: number | null | undefined;
}

/** The public IPv4 address that an instance got first. */
function firstOf(rows: Address[], instance: number): string | undefined {
  const own = rows.find((row) => row.compute_id === instance && row.type === "ipv4" && row.public !== false);
  return own && canonical(own.address);
}
