/** RFC 3339 in whole seconds, as the API server writes it. */
export function timestamp(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`;
}
