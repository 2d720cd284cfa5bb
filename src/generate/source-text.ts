/** Pieces of TypeScript source, formatted as the formatter would. */

const lineWidth = 120;

/** An import of values by their names. */
export function importLine(names: string[], from: string): string {
  return broken(`import { `, names, ` } from "${from}";`);
}

/** A declaration of a list: `export const kinds: Kind[] = [a, b];`. */
export function arrayLine(declaration: string, items: string[]): string {
  return broken(`${declaration} = [`, items, "];");
}

/** A declaration of an object by the entries in it. */
export function objectLine(declaration: string, entries: string[]): string {
  return broken(`${declaration} = { `, entries, " };");
}

/** On one line where it fits; else an item a line. */
function broken(head: string, items: string[], tail: string): string {
  const line = head + items.join(", ") + tail;
  if (line.length <= lineWidth) return line;
  return [head.trimEnd(), ...items.map((item) => `  ${item},`), tail.trimStart()].join("\n");
}
