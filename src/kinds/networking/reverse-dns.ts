import * as z from "zod";
import type { Resolved } from "../../core/kind/reference.ts";
import { exactlyOneOf } from "../../core/kind/rules.ts";
import { immutable, rule } from "../../core/kind/schema.ts";
import { defineSetting } from "../../core/kind/setting.ts";
import { canonicalHost, domainName, hostShared } from "../domains/names.ts";
import { addressOf, addressRef, addressReference, addressStatus, reportAddresses } from "./address-ref.ts";
import { referenceFor } from "./exported-refs.ts";
import { canonical, ownAddress } from "./address.ts";
import { ipRow } from "./ip-row.ts";
import { reverseExamples } from "./reverse-examples.ts";
import { optionalText } from "../text.ts";

const publicRef = rule(
  addressRef(
    "Address of a different object. If the address changes, the operator sets the name of the new address. Cannot be changed.",
  ),
  {
    cel: "self.address != 'Private' && self.kind != 'IPv6Range'",
    check: ({ kind, address }) => address !== "Private" && kind !== "IPv6Range",
    message:
      "addressRef must mean an address with a reverse name: address Public or IPv6 of a ComputeInstance, or Public of an IPAddress. Private addresses and ranges have none",
  },
);

const fields = z.object({
  address: immutable(ownAddress("A public address of the account. Cannot be changed.")).optional(),
  addressRef: immutable(publicRef).optional(),
  hostname: domainName("Host name. The name must already resolve to the address."),
});

const spec = exactlyOneOf(fields, ["address", "addressRef"], { fieldPath: ".address" });

/** Reverse DNS names of addresses: part 3, section 4.3; not-shown, section 3. */
export const reverseDNS = defineSetting({
  kind: "ReverseDNS",
  plural: "reversedns",
  shortNames: ["cprdns"],
  noun: "reverse DNS of",
  doc: "The reverse DNS name of a public IP address of the account. Deleting the object restores the default name of the cloud.",
  columns: [
    { name: "Address", jsonPath: ".status.id" },
    { name: "Hostname", jsonPath: ".status.hostname", long: true },
  ],
  spec,
  status: z.object({ hostname: optionalText(253, "Reverse DNS name of the address."), ...addressStatus }),
  wire: ipRow,
  references: { addressRef: { ...addressReference, from: (of) => of.addressRef, contained: true } },
  listPath: () => "/networking/ips",
  identify: (wire) => canonical(wire.address),
  which: ({ spec: { address: named }, refs }, row) =>
    named === undefined ? meantBy(refs.addressRef, row) : canonical(named),
  carrierField: "compute_id",
  part: "rdns",
  reach: "own",
  fields: {
    rdns: {
      specField: "hostname",
      desired: ({ spec: { hostname } }) => hostname,
      observed: (wire) => wire.rdns && canonicalHost(wire.rdns),
    },
  },
  exports: {
    spec: ({ wire: { address, rdns }, find }) => {
      if (!rdns || isDefaultName(address, rdns)) return undefined;
      const ref = referenceFor(find, address, ["Public", "IPv6"]);
      return ref ? { addressRef: ref } : { address: canonical(address) };
    },
  },
  undo: ({ path }) => ({ method: "PUT", path, body: { rdns: null } }),
  shares: ({ spec: { hostname } }) => [hostShared(hostname)],
  report: ({ wire, refs }) => ({ hostname: wire.rdns ?? undefined, ...reportAddresses(refs.addressRef) }),
  examples: reverseExamples,
});

/** The default name of the cloud contains the address, such as 192-0-2-1.ip.example.com. */
function isDefaultName(address: string, name: string): boolean {
  return name.startsWith(`${address.replaceAll(/[.:]/g, "-")}.`);
}

type Row = z.output<typeof ipRow>;

/** Returns the address of the reference; undefined if the row is of another address, or of another instance. */
function meantBy(reference: Resolved | undefined, row: Row | undefined): string | undefined {
  const value = reference?.value === undefined ? undefined : addressOf(reference);
  if (!row) return value;
  const shown = canonical(row.address);
  // During a deletion the value is unknown. If the referenced object is absent, the recorded carrier identifies the address.
  const isMeant = (value ?? shown) === shown && (!reference || belongsTo(row, reference));
  return isMeant ? shown : undefined;
}

function belongsTo({ address, compute_id: instance }: Row, { kind, id }: Resolved): boolean {
  return kind === "ComputeInstance" ? instance === Number(id) : canonical(address) === canonical(id);
}
