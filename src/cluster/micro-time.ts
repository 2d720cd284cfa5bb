/** Formats a time as Kubernetes MicroTime: RFC 3339 with six digits of a second. */
export function microTime(date: Date): string {
  return date.toISOString().replace("Z", "000Z");
}
