/** Writes TypeScript source in the format of the formatter. */

const lineWidth = 120;

export function importLine(names: string[], from: string): string {
  return broken(`import { `, names, ` } from "${from}";`);
}

/** Returns the declaration of a list: `export const kinds: Kind[] = [a, b];`. */
export function arrayLine(declaration: string, items: string[]): string {
  return broken(`${declaration} = [`, items, "];");
}

export function objectLine(declaration: string, entries: string[]): string {
  return broken(`${declaration} = { `, entries, " };");
}

/** Returns one line if the line fits, or one line per item. */
function broken(head: string, items: string[], tail: string): string {
  const line = head + items.join(", ") + tail;
  if (line.length <= lineWidth) return line;
  return [head.trimEnd(), ...items.map((item) => `  ${item},`), tail.trimStart()].join("\n");
}
