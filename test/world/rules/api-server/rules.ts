import { deletionRules } from "./deletion.ts";
import { secretRules } from "./secrets.ts";
import { selectorRules } from "./selectors.ts";
import { statusRules } from "./status.ts";
import { versionRules } from "./versions.ts";

/** What the world's API server and a real one both do. */
export const apiServerRules = [...versionRules, ...statusRules, ...deletionRules, ...secretRules, ...selectorRules];
