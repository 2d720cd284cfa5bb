import { describe, expect, it } from "vitest";
import { written } from "../../src/cli/output/table.ts";
import type { Format } from "../../src/cli/output/table.ts";

interface Item {
  name: string;
  note: string;
}

const items: Item[] = [
  { name: "日本", note: "=1+1" },
  { name: "a|b", note: 'say "x", then\nend\u001b[31m' },
];

function shown(format: Format): string {
  return written(
    {
      items,
      columns: { name: ({ name }: Item) => name, note: ({ note }: Item) => note },
      name: ({ name }: Item) => name,
      plain: (item: Item) => ({ ...item }),
    },
    format,
  );
}

describe("a list", () => {
  it("as a table aligns wide characters, and shows no control characters", () => {
    expect(shown("table")).toBe('NAME   NOTE\n日本   =1+1\na|b    say "x", then end [31m\n');
  });

  it("as CSV quotes cells, and disarms formulas", () => {
    expect(shown("csv")).toBe('name,note\r\n日本,\'=1+1\r\na|b,"say ""x"", then end [31m"\r\n');
  });

  it("as Markdown escapes the characters of tables and links", () => {
    expect(shown("markdown")).toContain(String.raw`| a\|b | say "x", then end  \[31m |`.replace("end  ", "end "));
  });

  it("as JSON keeps every character", () => {
    expect(JSON.parse(shown("json"))).toEqual({ items });
  });

  it("as names has one line for each item", () => {
    expect(shown("name")).toBe("日本\na|b\n");
  });
});
