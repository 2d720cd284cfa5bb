import * as z from "zod";
import type { JsonObject } from "../../api/types.ts";
import { defineMirror } from "../../core/kind/mirror.ts";
import { setOf } from "../../core/kind/schema.ts";
import { optionalText } from "../text.ts";
import { readable } from "../wire.ts";

const address = z.string().max(45);
const plan = z.string().max(64);
const offer = z.object({ plan: z.string(), available: z.boolean() });

/** Regions: part 2, section 4.8; not-shown, section 3. */
export const region = defineMirror({
  kind: "Region",
  plural: "regions",
  shortNames: ["cpregions", "cpregion"],
  doc: "A region of the cloud. Use `status.id` as `spec.region` of other kinds. A region can offer only a part of the services.",
  columns: [
    { name: "ID", jsonPath: ".status.id", priority: 1 },
    { name: "Label", jsonPath: ".status.label" },
    { name: "Country", jsonPath: ".status.country" },
    { name: "State", jsonPath: ".status.state" },
    { name: "Services", jsonPath: ".status.services", long: true },
    { name: "Select plans", jsonPath: ".status.selectPlans.available", long: true },
  ],
  status: z.object({
    label: optionalText(128, "Place of the region, as text."),
    country: optionalText(64, "Country code."),
    state: optionalText(32, "State in the cloud API: ok or outage."),
    services: setOf(z.string().max(128), 128).describe("Available services.").optional(),
    resolvers: z
      .object({
        ipv4: setOf(address, 64).describe("IPv4 addresses."),
        ipv6: setOf(address, 64).describe("IPv6 addresses."),
      })
      .describe("Name servers for instances of the region.")
      .optional(),
    selectPlans: z
      .object({
        available: setOf(plan, 256).describe("Types on offer in the region."),
        unavailable: setOf(plan, 256).describe("Types not on offer in the region."),
      })
      .describe(
        "Types on offer only in selected regions, such as premium and GPU plans. Every region offers the types outside the lists.",
      )
      .optional(),
  }),
  path: "/regions",
  beside: { path: "/regions/availability", of: "region" },
  wire: z.object({
    id: z.string(),
    label: z.string().nullish(),
    country: z.string().nullish(),
    status: z.string().nullish(),
    capabilities: z.array(z.string()).nullish(),
    resolvers: z.object({ ipv4: z.string().nullish(), ipv6: z.string().nullish() }).nullish(),
  }),
  report: ({ label, country, status, capabilities, resolvers }, offers) => ({
    label: label ?? undefined,
    country: country ?? undefined,
    state: status ?? undefined,
    services: capabilities?.toSorted(),
    resolvers: resolvers ? { ipv4: addresses(resolvers.ipv4), ipv6: addresses(resolvers.ipv6) } : undefined,
    selectPlans: plansIn(offers),
  }),
  example: {
    id: "us-east",
    label: "Newark, NJ",
    country: "us",
    status: "ok",
    capabilities: ["Compute", "Metadata", "Vlans"],
    resolvers: { ipv4: "192.0.2.11,192.0.2.12", ipv6: "2001:db8:53::11" },
  },
  besideExample: [
    { region: "us-east", plan: "g1-gpu-rtx6000-1", available: true },
    { region: "us-east", plan: "g7-premium-2", available: false },
  ],
});

/** Splits a list of addresses. The cloud API returns one text with commas. */
function addresses(text: string | null | undefined): string[] {
  const all = (text ?? "").split(",").map((one) => one.trim());
  return all.filter((one) => one !== "").toSorted();
}

function plansIn(offers: JsonObject[]): { available: string[]; unavailable: string[] } | undefined {
  const read = readable(offer, offers);
  if (read.length === 0) return undefined;
  const plans = (wanted: boolean): string[] =>
    [...new Set(read.flatMap(({ plan: name, available }) => (available === wanted ? [name] : [])))].toSorted();
  return { available: plans(true), unavailable: plans(false) };
}
