/** Returns a time in RFC 3339 with whole seconds, like the API server. */
export function timestamp(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`;
}
