const MAX_PIECES = 15;

/**
 * Returns a reason if `ports` is invalid, else undefined (part 3 section 2.2).
 * A comma and an optional space separate ports and ranges. Ports are 1..65535 without leading zeros. The end of a range
 * exceeds the start. At most 15 pieces, with two for a range.
 */
export function portsFault(ports: string): string | undefined {
  let pieces = 0;
  for (const part of ports.split(/, ?/)) {
    const bounds = part.split("-");
    if (bounds.length > 2 || !bounds.every((bound) => /^[1-9]\d{0,4}$/.test(bound)))
      return "Ports must be single ports or ranges, separated by commas";
    const [start = 0, end] = bounds.map(Number);
    if (Math.max(start, end ?? 0) > 65_535) return "Ports must be 1-65535";
    if (end !== undefined && end <= start) return "The end of a port range must exceed its start";
    pieces += bounds.length;
  }
  return pieces > MAX_PIECES ? `At most ${MAX_PIECES} port pieces; a range counts as two` : undefined;
}
