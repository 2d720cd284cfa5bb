import { invalid } from "../../server/errors.ts";

/** From this length on, letters of one sort are enough. */
const LONG = 20;

/** 400 with the documented reason for a password that is too weak (part 2 section 4.5 rule 2); the rule itself is not documented. */
export function requireStrong(field: string, password: string): void {
  const sorts = [/[a-z]/, /[A-Z]/, /[0-9]/, /[^a-zA-Z0-9]/].filter((sort) => sort.test(password)).length;
  const varied = new Set(password).size >= 5;
  const bounded = password.length >= 7 && password.length <= 128;
  if (!bounded || !varied || (sorts < 2 && password.length < LONG))
    throw invalid(field, "Password does not meet strength requirement");
}
