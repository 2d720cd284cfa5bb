import { invalid } from "../../server/errors.ts";

/** A password of this length or more can consist of one sort of characters. */
const LONG = 20;

/**
 * Throws 400 with the documented reason if a password is weak (part 2 section 4.5 rule 2). The documents do not define the rule.
 */
export function requireStrong(field: string, password: string): void {
  const sorts = [/[a-z]/, /[A-Z]/, /[0-9]/, /[^a-zA-Z0-9]/].filter((sort) => sort.test(password)).length;
  const varied = new Set(password).size >= 5;
  const bounded = password.length >= 7 && password.length <= 128;
  if (!bounded || !varied || (sorts < 2 && password.length < LONG))
    throw invalid(field, "Password does not meet strength requirement");
}
