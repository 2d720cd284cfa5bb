/** Public lists of the cloud with the permitted values of spec fields, and the search for similar values. */
export const catalogs = {
  Region: { path: "/regions", one: "a region" },
  ComputeType: { path: "/compute/types", one: "an instance type" },
  Image: { path: "/images", one: "an image" },
  Kernel: { path: "/compute/kernels", one: "a kernel" },
  DatabaseEngine: { path: "/databases/engines", one: "a database engine" },
  ObjectStorageCluster: { path: "/object-storage/clusters", one: "a cluster of object storage" },
  BetaProgram: { path: "/betas", one: "a beta program" },
};

export type CatalogName = keyof typeof catalogs;

const mostNearest = 5;

/** Returns the names with the smallest edit distance to `value`, the nearest first. */
export function nearest(value: string, names: string[]): string[] {
  const ranked = names.map((name) => ({ name, far: distance(value.toLowerCase(), name.toLowerCase()) }));
  return ranked
    .toSorted((a, b) => a.far - b.far || (a.name < b.name ? -1 : 1))
    .slice(0, mostNearest)
    .map(({ name }) => name);
}

/** Returns the Levenshtein distance: the number of added, removed and replaced letters. */
function distance(a: string, b: string): number {
  let before = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, letter] of a.split("").entries()) {
    const row = [i + 1];
    for (let j = 1; j <= b.length; j += 1) {
      const kept = (before[j - 1] ?? 0) + (letter === b[j - 1] ? 0 : 1);
      row.push(Math.min(kept, (before[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    before = row;
  }
  return before.at(-1) ?? 0;
}
