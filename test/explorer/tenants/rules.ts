/** Every rule of the judge, by name. */
import { fresh } from "./judge/fresh.ts";
import { held } from "./judge/held.ts";
import { revealed } from "./judge/revealed.ts";
import { touched } from "./judge/touched.ts";
import type { Rule } from "./judge/facts.ts";

export const rules: { [name: string]: Rule } = { ...touched, ...revealed, ...fresh, ...held };
