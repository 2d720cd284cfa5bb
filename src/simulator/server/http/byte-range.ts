/** The bytes of a content that a request wants, both counted from 0. */
interface Part {
  readonly first: number;
  readonly last: number;
}

/**
 * What a `Range` header wants of so many bytes (RFC 9110 section 14): a part, `whole` where it names none or several, or is no
 * range of bytes; `none` where the content has nothing of it.
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
