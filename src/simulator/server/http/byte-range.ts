/** Positions of the first and the last byte, from 0. */
interface Part {
  readonly first: number;
  readonly last: number;
}

/**
 * Returns the part that a `Range` header selects (RFC 9110 section 14).
 * `whole` if the header has no range, several ranges or an invalid range. `none` if the range starts after the end.
 */
export function partOf(header: string | undefined, size: number): Part | "whole" | "none" {
  const [, from = "", to = ""] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.replaceAll(/\s/g, "") ?? "") ?? [];
  if (from === "" && to === "") return "whole";
  const end = size - 1;
  if (from === "")
    return Number(to) === 0 || size === 0 ? "none" : { first: Math.max(0, size - Number(to)), last: end };
  if (to !== "" && Number(to) < Number(from)) return "whole";
  if (Number(from) > end) return "none";
  return { first: Number(from), last: to === "" ? end : Math.min(Number(to), end) };
}
