/** The part of an exported image that its fields do not contain. */
import * as z from "zod";
import type { Json, JsonObject } from "../../api/types.ts";

interface Shown {
  wire: { is_public?: boolean | null | undefined };
  answers: Record<string, Json | undefined>;
}

const regions = z.array(z.object({ id: z.string() })).catch([]);

/** The list also contains public images. Only a creation uses the source, which no row shows, so any region is valid. */
export const imageExport = {
  reads: () => ({ regions: { path: "/regions", paged: true } }),
  spec: ({ wire, answers }: Shown): JsonObject | undefined => {
    if (wire.is_public) return undefined;
    const [first] = regions.parse(answers["regions"]);
    return { source: { handOff: { region: first?.id ?? "unknown" } } };
  },
};
