import * as z from "zod";
import { asValue } from "../../core/kind/leaf-class.ts";
import type { JsonObject } from "../../api/types.ts";
import { Invalid } from "../../core/kind/outcome.ts";
import { freeForm } from "../../core/kind/schema.ts";
import { defineSetting } from "../../core/kind/setting.ts";
import { inexactIn } from "../exact.ts";

const path = "/profile/preferences";

/** Maximum number of characters in the request: part 1, section 4.2, rule 3. */
const longest = 65_535;

/** Preferences of the token's OAuth client: part 1, sections 2.5 and 4.2. */
export const profilePreferences = defineSetting({
  kind: "ProfilePreferences",
  plural: "profilepreferences",
  shortNames: ["cpprefs"],
  noun: "set of preferences",
  idInWords: "omitted",
  doc: "The preferences of the OAuth client of the account's token. Deleting the object does not change the preferences.",
  columns: [{ name: "Entries", jsonPath: ".status.entries", type: "integer" }],
  spec: z.object({
    // The cloud only stores the preferences. No name has an effect.
    preferences: asValue(
      freeForm(
        "Complete preferences as a JSON object. The operator removes preferences that are not in the object. At most 65,535 characters as JSON, and 63 levels of objects and lists. Do not store secrets in preferences.",
      ),
    ),
  }),
  status: z.object({ entries: z.int().describe("Number of preferences at the top level.").optional() }),
  wire: z.looseObject({}),
  listPath: () => path,
  shownAt: path,
  identify: () => "preferences",
  ofUser: true,
  reach: "account",
  fields: {
    preferences: {
      desired: ({ spec }) => bounded(spec.preferences as JsonObject),
      observed: (wire) => wire as JsonObject,
    },
  },
  verbs: { update: ({ spec }) => ({ method: "PUT", path, body: spec.preferences as JsonObject }) },
  report: ({ wire }) => ({ entries: Object.keys(wire).length }),
  examples: [
    {
      name: "console",
      doc: "Preferences for a user interface.",
      spec: { preferences: { theme: "dark", desktop_sidebar_open: true, sort: { volumes: "label" } } },
      changes: { preferences: { preferences: { theme: "light" } } },
      sample: true,
    },
    { name: "minimal", doc: "A single preference.", spec: { preferences: { theme: "light" } } },
  ],
});

function bounded(preferences: JsonObject): JsonObject {
  const inexact = inexactIn(preferences, "spec.preferences");
  if (inexact !== undefined)
    throw new Invalid(
      inexact,
      `whole numbers are sent exactly up to ${Number.MAX_SAFE_INTEGER}. The operator changes nothing. Write a larger one as text`,
    );
  const { length } = JSON.stringify(preferences);
  if (length <= longest) return preferences;
  throw new Invalid(
    "spec.preferences",
    `has ${length} characters as JSON. The operator changes nothing. Shorten it to ${longest} characters`,
  );
}
