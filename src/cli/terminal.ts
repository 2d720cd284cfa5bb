/** The terminal of a command: data, messages, progress, questions and colours. */
import type { Ask } from "./question.ts";

/** A stream of the process, or a replacement in tests. */
export interface Sink {
  write: (text: string) => unknown;
  isTTY?: boolean | undefined;
  columns?: number | undefined;
}

/** Parts of the process that a command uses. */
export interface Ambient {
  environment: Readonly<Record<string, string | undefined>>;
  stdout: Sink;
  stderr: Sink;
  /** Asks the user; undefined without a terminal. */
  ask?: Ask | undefined;
  /** Aborts when the user presses Ctrl-C. */
  signal: AbortSignal;
}

export interface Terminal {
  /** Writes data to stdout. */
  data: (text: string) => void;
  /** Writes a message to stderr. */
  say: (text: string) => void;
  /** Shows a short text that the next text replaces. Does nothing if stderr is not a terminal. */
  progress: (text: string) => void;
  /** Asks the user a question with the answers yes and no; undefined without a terminal. */
  ask: Ask | undefined;
  /** Returns a text with a colour, if the stream of messages shows colours. */
  paint: (colour: Colour, text: string) => string;
}

const colours = { red: 31, green: 32, yellow: 33 } as const;
export type Colour = keyof typeof colours;

export function createTerminal({ stdout, stderr, environment, ask }: Ambient): Terminal {
  const isTerminal = stderr.isTTY === true;
  const coloured = showsColours(environment, isTerminal);
  let shown = false;
  const clear = (): void => {
    if (shown) stderr.write("\r\u001b[K");
    shown = false;
  };
  return {
    data(text) {
      clear();
      stdout.write(text);
    },
    say(text) {
      clear();
      stderr.write(`${harmless(text)}\n`);
    },
    progress(text) {
      if (!isTerminal || environment["TERM"] === "dumb") return;
      clear();
      stderr.write(harmless(text).slice(0, Math.max(0, (stderr.columns ?? 80) - 1)));
      shown = text !== "";
    },
    ask: ask && ((question) => (clear(), ask(question))),
    paint: (colour, text) => (coloured ? `\u001b[${colours[colour]}m${text}\u001b[39m` : text),
  };
}

/** Messages can quote texts of the cloud. A terminal would execute their control characters; only line breaks and colours stay. */
function harmless(text: string): string {
  return text.replaceAll(/\p{Cc}(?:\[3[1239]m)?/gu, (one) =>
    one === "\n" || one.startsWith("\u001b[") ? one : ` ${one.slice(1)}`,
  );
}

/** Returns true if a stream shows colours: https://no-color.org and https://force-color.org. */
export function showsColours(environment: Ambient["environment"], isTerminal: boolean): boolean {
  const { NO_COLOR: none, FORCE_COLOR: forced, TERM: term } = environment;
  if (forced !== undefined && forced !== "") return forced !== "0" && forced !== "false";
  if (none !== undefined && none !== "") return false;
  return isTerminal && term !== "dumb";
}
