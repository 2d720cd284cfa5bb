#!/usr/bin/env node
/** Runs the command line as a process. The only file of the room that reads the process; see program.ts. */
import { systemClock } from "../process/clock.ts";
import { runProgram } from "./program.ts";
import { askOn } from "./question.ts";

const interrupted = new AbortController();
// A second signal ends the process immediately.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  process.once(signal, () => interrupted.abort(new Error("interrupted")));

// The reader of a pipe, such as head, can end first.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(0);
});

// No await at the top level: a single executable is a CommonJS program.
void runProgram(
  process.argv.slice(2),
  {
    environment: process.env,
    stdout: process.stdout,
    stderr: process.stderr,
    ask: askOn(process.stdin, process.stderr),
    signal: interrupted.signal,
  },
  systemClock,
).then((code) => {
  // Connections of an interrupted command would keep the process alive.
  if (interrupted.signal.aborted) process.exit(code);
  process.exitCode = code;
});
