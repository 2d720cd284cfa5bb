/** Returns true if the granted scopes include a scope. `*` includes every scope, and `read_write` includes `read_only`. */
export function covers(granted: readonly string[], scope: string): boolean {
  return ["*", scope, scope.replace(/:read_only$/, ":read_write")].some((one) => granted.includes(one));
}
