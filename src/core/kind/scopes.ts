/** Whether a token that was granted these scopes has this one: `*` is every scope, and who may write may read. */
export function covers(granted: readonly string[], scope: string): boolean {
  return ["*", scope, scope.replace(/:read_only$/, ":read_write")].some((one) => granted.includes(one));
}
