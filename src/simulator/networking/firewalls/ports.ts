const MAX_PIECES = 15;

/**
 * Why a `ports` string is wrong, or undefined (part 3 section 2.2): ports and ranges, separated by a comma that one space
 * may follow; 1..65535 without leading zeroes; the end of a range exceeds its start; at most 15 pieces, a range is two.
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
