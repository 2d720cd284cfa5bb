import { isIP } from "node:net";
import * as z from "zod";
import type { RegionRow } from "../../catalog/tables.ts";
import { invalid } from "../../server/errors.ts";
import { optional } from "../../server/wire.ts";
import type { World } from "../../server/world.ts";
import type { InterfaceRow } from "../tables.ts";

const label = z.string().regex(/^[A-Za-z0-9-]{1,64}$/, "Must be 1-64 letters, digits and dashes");

const entry = z
  .object({
    purpose: z.enum(["public", "vlan"]),
    label: optional(z.union([z.literal(""), label])),
    ipam_address: optional(
      z.string().refine((text) => text === "" || isCidr(text), "Must be an address with prefix length"),
    ),
  })
  .superRefine((value, context) => {
    const wrong = (path: string, message: string) => context.addIssue({ code: "custom", path: [path], message });
    if (value.purpose === "vlan" && !value.label) wrong("label", "A VLAN interface needs a label");
    if (value.purpose === "public" && value.label) wrong("label", "A public interface has no label");
    if (value.purpose === "public" && value.ipam_address) wrong("ipam_address", "A public interface has no address");
  });

/** Interfaces in a request for an instance or a config (part 2 section 2.5). An empty list means the public interface. */
export const interfacesSchema = optional(
  z
    .array(entry)
    .max(3, "At most 3 interfaces")
    .superRefine((entries, context) => {
      const vlans = entries.map(({ purpose, label: vlan }) => (purpose === "vlan" ? vlan : undefined));
      const again = vlans.findIndex((vlan, index) => vlan !== undefined && vlans.indexOf(vlan) < index);
      if (again >= 0)
        context.addIssue({ code: "custom", path: [again, "label"], message: "A VLAN may stand once in a config" });
    }),
);
export type InterfaceRequest = NonNullable<z.output<typeof interfacesSchema>>;

/** Returns the rows of the requested interfaces. Throws 400 if the region does not support VLANs. */
export function interfaceRows(world: World, region: RegionRow, request: InterfaceRequest | undefined): InterfaceRow[] {
  const wanted = request ?? [];
  if (wanted.some((item) => item.purpose === "vlan") && !region.capabilities.includes("Vlans"))
    throw invalid("interfaces", `The region ${region.id} does not support VLANs`);
  return wanted.map((item) => ({
    id: world.store.nextId("interface"),
    purpose: item.purpose,
    label: item.label || null,
    ipam_address: item.ipam_address || null,
  }));
}

/** Newer fields of the service, with default values. No interface belongs to a VPC. */
const NEWER = { primary: false, vpc_id: null, subnet_id: null, ipv4: null, ipv6: null, ip_ranges: null };

/** Returns an interface in the form of the API. A VLAN interface without an address has an empty address. */
export function presentInterface(row: InterfaceRow, active: boolean): Record<string, unknown> {
  const ipam_address = row.purpose === "vlan" ? (row.ipam_address ?? "") : null;
  return { ...row, ipam_address, active, ...NEWER };
}

function isCidr(text: string): boolean {
  const [address = "", prefix = "", ...rest] = text.split("/");
  const family = isIP(address);
  return family !== 0 && rest.length === 0 && /^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128);
}
