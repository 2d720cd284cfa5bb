/** The list of published versions, which every page of every version reads. */

/** Returns the list with the version, the newest version first. Names that are no versions, such as `next`, come last. */
export function withVersion(published: string[], version: string): string[] {
  return [...new Set([...published, version])].sort(newestFirst);
}

/** Returns the version that the first page of the site leads to: the newest release, or the newest version. */
export function mainVersion(versions: string[]): string {
  return versions.find((version) => /^\d+\.\d+\.\d+$/.test(version)) ?? versions[0] ?? "";
}

/** Returns the page at the top of the site, which leads to a version. */
export function redirect(base: string, version: string): string {
  const to = `${base}${version}/`;
  return `<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>cloud-platform-operator</title>\n<meta http-equiv="refresh" content="0; url=${to}">\n<a href="${to}">cloud-platform-operator ${version}</a>\n</html>\n`;
}

function newestFirst(a: string, b: string): number {
  const [left, right] = [partsOf(a), partsOf(b)];
  if (!left || !right) return Number(!left) - Number(!right) || (a < b ? -1 : 1);
  const differing = left.numbers.findIndex((number, at) => number !== right.numbers[at]);
  if (differing !== -1) return (right.numbers[differing] ?? 0) - (left.numbers[differing] ?? 0);
  // A release is newer than its candidates.
  if (left.candidate === "" || right.candidate === "") return left.candidate === "" ? -1 : 1;
  return right.candidate.localeCompare(left.candidate, "en", { numeric: true });
}

function partsOf(version: string): { numbers: number[]; candidate: string } | undefined {
  const [, core, candidate = ""] = /^(\d+\.\d+\.\d+)(?:-(.+))?$/.exec(version) ?? [];
  return core === undefined ? undefined : { numbers: core.split(".").map(Number), candidate };
}
