/** What a long step tells the person who waits for it. */
export interface Progress {
  /** A line that stays. */
  say(line: string): void;
  /** How far the step is: redrawn in place in a terminal, a plain line every 30 seconds elsewhere. */
  step(text: string): void;
  /** Ends the redrawn line. */
  end(): void;
}

/** Progress on standard error, so that standard output stays usable by scripts. */
export function createProgress(stream: NodeJS.WriteStream = process.stderr): Progress {
  let drawn = false;
  let spoken = Number.NEGATIVE_INFINITY;
  const end = (): void => {
    if (drawn) stream.write("\n");
    drawn = false;
  };
  return {
    say(line) {
      end();
      stream.write(`${line}\n`);
    },
    step(text) {
      if (stream.isTTY) {
        stream.write(`\r\u001B[2K${text.slice(0, (stream.columns || 80) - 1)}`);
        drawn = true;
      } else if (performance.now() - spoken >= 30_000) {
        spoken = performance.now();
        stream.write(`${text}\n`);
      }
    },
    end,
  };
}

/** Seconds in words: `12 s`, `3 min 05 s`. */
export function duration(seconds: number): string {
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  return `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, "0")} s`;
}
