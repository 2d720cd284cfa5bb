import * as z from "zod";
import { defineMirror } from "../../core/kind/mirror.ts";
import { optionalText } from "../text.ts";

/** Engines of managed databases: part 1, sections 2.2 and 4.1. */
export const databaseEngine = defineMirror({
  kind: "DatabaseEngine",
  plural: "databaseengines",
  shortNames: ["cpengines", "cpengine"],
  doc: "An engine of managed databases, in one version. Use `status.id` as `spec.engine` of a ManagedMySQL.",
  columns: [
    { name: "ID", jsonPath: ".status.id" },
    { name: "Engine", jsonPath: ".status.engine" },
    { name: "Version", jsonPath: ".status.version" },
  ],
  status: z.object({
    engine: optionalText(64, "Type of the engine, such as mysql."),
    version: optionalText(64, "Version of the engine."),
  }),
  path: "/databases/engines",
  wire: z.object({ id: z.string(), engine: z.string().nullish(), version: z.string().nullish() }),
  report: ({ engine, version }) => ({ engine: engine ?? undefined, version: version ?? undefined }),
  example: { id: "mysql/8.0.30", engine: "mysql", version: "8.0.30" },
});
