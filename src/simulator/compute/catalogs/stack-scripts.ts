import { seedOf } from "../../server/seed.ts";
import { STACK_SCRIPTS } from "./tables.ts";

export const stackScriptSeed = seedOf(STACK_SCRIPTS, [
  { id: 1, label: "hello", images: ["compute/debian12", "compute/ubuntu22.04"], fields: [] },
  {
    id: 2,
    label: "web-server",
    images: ["compute/debian12"],
    fields: [{ name: "hostname" }, { name: "port", default: "80" }],
  },
  {
    id: 10079,
    label: "keys-of-user",
    images: ["compute/debian12", "compute/debian11", "compute/ubuntu22.04", "compute/ubuntu24.04"],
    fields: [{ name: "gh_username" }],
  },
]);
