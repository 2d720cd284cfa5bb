/** Network interfaces of an instance. The configuration profile contains the interfaces. Part 2, section 2.5; not-shown, section 3. */
import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { asValue, cloudName } from "../../core/kind/leaf-class.ts";
import type { Json, JsonObject } from "../../api/types.ts";
import type { Call } from "../../core/kind/call.ts";
import { Invalid } from "../../core/kind/outcome.ts";
import { allowedFor, belonging, neededFor } from "../../core/kind/rules.ts";
import { matching, orderedList, rule } from "../../core/kind/schema.ts";
import { absentOrFilled } from "../absent.ts";
import { given, told } from "../given.ts";
import { network } from "../networking/address.ts";
import { whole } from "../wire.ts";

const vlanLabel = matching(
  cloudName("VLAN", z.string().min(1).max(64)).describe(
    "Name of the VLAN. The VLAN exists while an interface uses the name.",
  ),
  "^[A-Za-z0-9-]+$",
  "must have only letters, digits and dashes",
);

const fields = z.object({
  purpose: z.enum(["public", "vlan"]).describe("public: the internet. vlan: a private network of the region."),
  label: neededFor(["vlan"], vlanLabel),
  ipamAddress: allowedFor(
    ["vlan"],
    asValue(network("Address of the instance in the VLAN, with its prefix length, such as 10.0.0.1/24.")),
  ),
});

const networkInterface = belonging(fields, "purpose", "");

export type NetworkInterface = z.output<typeof networkInterface>;

/** Interfaces in order. The first entry is the first interface of the instance. */
export const interfaceList = rule(
  orderedList(networkInterface, 3).describe(
    `Complete list of network interfaces, in order. ${absentOrFilled} A new instance then has the public interface alone. A change takes effect at the next reboot.`,
  ),
  {
    // Not a minimum in the schema: the API server then reports no advice and skips the rules.
    cel: "size(self) > 0",
    check: (list) => list.length > 0,
    message: "interfaces must have at least one entry; leave the field out to keep only the public interface",
  },
);

export function interfaceBody({ purpose, label, ipamAddress }: NetworkInterface): JsonObject {
  return given({ purpose, label, ipam_address: ipamAddress });
}

export const wireInterfaces = z.array(
  z.object({ purpose: z.string(), label: z.string().nullish(), ipam_address: z.string().nullish() }),
);
const wireConfigs = z.array(z.object({ id: whole(), interfaces: wireInterfaces.nullish() }));

/**
 * Returns the call that sets the interfaces of the only configuration profile. An instance without a profile has no
 * interfaces to set. `before`: the part of the call that keeps the facts about the profile before the change.
 */
export function interfaceCalls(
  configsPath: string,
  wanted: NetworkInterface[],
  current: Json | undefined,
  before: Pick<Call, "keeps"> = {},
): Call[] {
  const [config, ...others] = wireConfigs.parse(current ?? []);
  if (!config) return [];
  if (others.length > 0) {
    throw new Invalid(
      "spec.interfaces",
      "the instance has several configuration profiles, each with its own interfaces. Remove this field",
    );
  }
  const interfaces = wanted.map(interfaceBody);
  // The cloud API shows the public interface alone as an empty list.
  const there = config.interfaces?.length ? config.interfaces : [{ purpose: "public" }];
  if (isDeepStrictEqual(there.map(comparable), interfaces.map(comparable))) return [];
  const note = `interfaces: ${wanted.map(({ purpose, label }) => label ?? purpose).join(", ")}`;
  const path = `${configsPath}/${config.id}`;
  return [{ method: "PUT", path, body: { interfaces }, action: "UpdateInterfaces", note, ...before }];
}

/** Returns the interfaces in the form of a spec. Empty if the instance has several profiles. */
export function interfacesInWords(configs: Json | undefined): JsonObject {
  const [config, ...others] = wireConfigs.safeParse(configs).data ?? [];
  if (!config || others.length > 0) return {};
  const interfaces = (config.interfaces?.length ? config.interfaces : [{ purpose: "public" }]).map((one) => {
    const [purpose, label, ipamAddress] = comparable(one);
    return told({ purpose, label, ipamAddress });
  });
  return { interfaces };
}

/** Returns the values that different spellings of an interface share. */
export function comparable(one: { [key: string]: Json | undefined }): Json[] {
  return [one["purpose"] ?? null, one["label"] || null, one["ipam_address"] || null];
}
