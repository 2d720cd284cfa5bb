import type { ObjectRow } from "./tables.ts";

interface ContentsQuery {
  /** Name of the last entry of the previous page. */
  readonly marker: string | undefined;
  readonly delimiter: string | undefined;
  readonly prefix: string | undefined;
  readonly pageSize: number;
}

interface ContentsPage {
  /** A string is a folder: the common prefix of names, up to and including the delimiter. */
  readonly entries: readonly (ObjectRow | string)[];
  /** Null on the last page. */
  readonly nextMarker: string | null;
}

/** Returns one page of a bucket's contents (part 3 section 4.1). `objects` must be sorted by name. */
export function contentsPage(objects: readonly ObjectRow[], query: ContentsQuery): ContentsPage {
  const { marker, delimiter, prefix = "", pageSize } = query;
  const entries: (ObjectRow | string)[] = [];
  let last: string | undefined;
  for (const object of objects.filter(({ name }) => name.startsWith(prefix))) {
    const folder = folderOf(object.name, prefix, delimiter);
    const name = folder ?? object.name;
    if (name === last || !isAfter(name, marker)) continue;
    if (entries.length === pageSize) return { entries, nextMarker: last ?? null };
    entries.push(folder ?? object);
    last = name;
  }
  return { entries, nextMarker: null };
}

function folderOf(name: string, prefix: string, delimiter: string | undefined): string | undefined {
  if (!delimiter) return undefined;
  const end = name.indexOf(delimiter, prefix.length);
  return end < 0 ? undefined : name.slice(0, end + delimiter.length);
}

function isAfter(name: string, marker: string | undefined): boolean {
  return marker === undefined || Buffer.compare(Buffer.from(name), Buffer.from(marker)) > 0;
}
