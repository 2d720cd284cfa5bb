import { renderChanges, renderTable, summary } from "./table.ts";
import type { Row } from "./table.ts";

/** Shows rows as they change. */
export interface Screen {
  update(rows: Row[], elapsed: string): void;
}

/** A table redrawn in place in a terminal; elsewhere a plain line for each change. */
export function createScreen(stream: NodeJS.WriteStream): Screen {
  return stream.isTTY ? terminal(stream) : log(stream);
}

function terminal(stream: NodeJS.WriteStream): Screen {
  let drawn = 0;
  return {
    update(rows, elapsed) {
      const size = { columns: stream.columns || 80, height: (stream.rows || 24) - 3 };
      const lines = [...renderTable(rows, size), "", summary(rows, elapsed)];
      const up = drawn > 0 ? `\u001B[${drawn}A` : "";
      stream.write(`${up}\u001B[0J${lines.join("\n")}\n`);
      drawn = lines.length;
    },
  };
}

function log(stream: NodeJS.WriteStream): Screen {
  let before: Row[] = [];
  return {
    update(rows, elapsed) {
      const changes = renderChanges(before, rows);
      before = rows;
      if (changes.length > 0) stream.write(`${[...changes, summary(rows, elapsed)].join("\n")}\n`);
    },
  };
}
