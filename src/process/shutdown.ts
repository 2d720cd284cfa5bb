import type { Clock } from "../queue/clock.ts";

export interface ShutdownOptions {
  clock: Clock;
  log: {
    info(fields: object, message: string): void;
    error(fields: object, message: string): void;
  };
  /** Milliseconds for the steps together. Then the process exits with code 1. Default 20,000. */
  deadlineMs?: number;
  /** Default: this process. */
  host?: Host;
}

/** The part of a process that shutdown needs. */
export interface Host {
  on(signal: "SIGINT" | "SIGTERM", listener: (signal: string) => void): unknown;
  exit(code: number): void;
}

export interface Shutdown {
  /** Aborts when shutdown begins. */
  signal: AbortSignal;
  /** Adds a step. Steps run one after another, in reverse order. */
  add(name: string, step: () => Promise<void> | void): void;
  /** Starts shutdown for a reason other than a signal, and exits with this code. */
  begin(reason: string, code: number): void;
}

/**
 * Ends the process in order. After SIGTERM or SIGINT, runs the steps and exits with 0. Logs a failed step and runs the
 * next step. After a second signal, exits immediately with 130.
 */
export function createShutdown(options: ShutdownOptions): Shutdown {
  const { clock, log, deadlineMs = 20_000, host = process } = options;
  const steps: { name: string; step: () => Promise<void> | void }[] = [];
  const controller = new AbortController();

  const run = async (reason: string, code: number): Promise<void> => {
    log.info({ reason }, "shutting down");
    const cancel = clock.schedule(deadlineMs, () => {
      log.error({ deadlineMs }, "shutdown took too long");
      host.exit(1);
    });
    controller.abort(new Error(reason));
    let exitCode = code;
    for (let next = steps.pop(); next !== undefined; next = steps.pop()) {
      try {
        await next.step();
      } catch (error) {
        log.error({ error, step: next.name }, "a step of the shutdown failed");
        exitCode = 1;
      }
    }
    cancel();
    host.exit(exitCode);
  };

  const begin = (reason: string, code: number): void => {
    if (!controller.signal.aborted) void run(reason, code);
  };
  const onSignal = (signal: string): void => (controller.signal.aborted ? host.exit(130) : begin(signal, 0));
  host.on("SIGTERM", onSignal);
  host.on("SIGINT", onSignal);
  return { signal: controller.signal, add: (name, step) => void steps.push({ name, step }), begin };
}
