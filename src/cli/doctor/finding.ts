/** One line of the diagnosis. */

/** `unknown`: the check was not possible, for example without permission. Only `wrong` is a problem. */
export interface Finding {
  check: string;
  state: "ok" | "wrong" | "unknown";
  text: string;
  /** What the user can do. Always present for `wrong`. */
  cure?: string;
}

export function ok(check: string, text: string): Finding {
  return { check, state: "ok", text };
}

export function wrong(check: string, text: string, cure: string): Finding {
  return { check, state: "wrong", text, cure };
}

export function unknown(check: string, text: string): Finding {
  return { check, state: "unknown", text };
}
