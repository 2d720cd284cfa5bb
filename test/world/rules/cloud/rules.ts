import { partRules } from "./parts.ts";
import { rowRules } from "./rows.ts";
import { timeRules } from "./time.ts";

/** What the world's cloud and the simulator both do. */
export const cloudRules = [...rowRules, ...partRules, ...timeRules];
