import * as z from "zod";
import { defineMirror } from "../../core/kind/mirror.ts";
import { optionalTime, rfc3339 } from "../time.ts";
import { optionalText } from "../text.ts";

/** Beta programs that are active: part 2, section 4.9; not-shown, section 3. */
export const betaProgram = defineMirror({
  kind: "BetaProgram",
  plural: "betaprograms",
  shortNames: ["cpbetas", "cpbeta"],
  doc: "A beta program that an account can join. The list needs a CloudAccount of an unrestricted user. Without such an account, the list is empty.",
  columns: [
    { name: "Label", jsonPath: ".status.label" },
    { name: "Greenlight only", jsonPath: ".status.greenlightOnly", type: "boolean" },
    { name: "Started", jsonPath: ".status.started", type: "date" },
    { name: "Ended", jsonPath: ".status.ended", priority: 1 },
    { name: "More info", jsonPath: ".status.moreInfo", long: true },
  ],
  status: z.object({
    label: optionalText(128, "Name of the program."),
    description: optionalText(4096, "Description of the program."),
    greenlightOnly: z.boolean().describe("Whether only accounts of the early-access program can join.").optional(),
    started: optionalTime("Start of the program."),
    ended: optionalTime("End of the program."),
    moreInfo: optionalText(2048, "URL of a page about the program."),
  }),
  path: "/betas",
  unrestricted: true,
  wire: z.object({
    id: z.string(),
    label: z.string().nullish(),
    description: z.string().nullish(),
    greenlight_only: z.boolean().nullish(),
    started: z.string().nullish(),
    ended: z.string().nullish(),
    more_info: z.string().nullish(),
  }),
  report: (wire) => ({
    label: wire.label ?? undefined,
    description: wire.description ?? undefined,
    greenlightOnly: wire.greenlight_only ?? undefined,
    started: rfc3339(wire.started),
    ended: rfc3339(wire.ended),
    moreInfo: wire.more_info ?? undefined,
  }),
  example: {
    id: "fast-disks",
    label: "Fast disks",
    description: "Disks that are faster.",
    greenlight_only: false,
    started: "2023-06-01T00:00:00",
    ended: null,
    more_info: "https://beta.example.com/fast-disks",
  },
});
