/** Ctrl-C and its kin, as something that a step can be raced against. */
export interface Interrupts {
  /** The result of the work, or a rejection when the person gives up first. */
  orElse<T>(work: Promise<T>): Promise<T>;
  /** Resolves when the person gives up. */
  wait(): Promise<undefined>;
  happened(): boolean;
  /** From now on a further signal ends the process at once. */
  disarm(): void;
}

/** Listens for SIGINT, SIGTERM and SIGHUP instead of dying of them. */
export function interruptible(): Interrupts {
  const controller = new AbortController();
  let armed = true;
  const listener = (): void => {
    if (armed && !controller.signal.aborted) controller.abort(new Error("interrupted"));
    else process.exit(130);
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, listener);
  const interrupted = new Promise<undefined>((resolve) =>
    controller.signal.addEventListener("abort", () => resolve(undefined)),
  );
  return {
    orElse: (work) => Promise.race([work, interrupted.then(() => Promise.reject(new Error("interrupted")))]),
    wait: () => interrupted,
    happened: () => controller.signal.aborted,
    disarm: () => {
      armed = false;
    },
  };
}
