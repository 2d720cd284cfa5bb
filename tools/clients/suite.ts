/** The own tests of public clients. They were written for the service, and run here against the simulator. */
import type { Simulator } from "../../src/simulator/simulator.ts";

/** The tests of a client that must run, and those that may fail. */
export interface Expectation {
  /** Places of tests by service: files, folders, groups or whole names, as the names of the tests begin. Other tests do not count. */
  covered: Record<string, string[]>;
  /** The reason why a test does not pass, by its name. */
  notPassed: ReadonlyMap<string, string>;
}

/** The facts that each suite states. */
export interface SuiteFacts extends Expectation {
  name: string;
  version: string;
  /** Has the files that pin the source package. */
  folder: string;
  /** The word that the client says. */
  brandWord: string;
  /** Points the client at the simulator. */
  environment(simulator: { url: string; token: string }): Record<string, string>;
  /** Names of domains that the tests need. */
  domains?: string[];
}

/** A suite that can be built and run. */
export interface ClientSuite extends SuiteFacts {
  /** Everything that the build depends on. Other inputs need another build. */
  inputs: (string | Buffer)[];
  /** Fetches the source package and builds its tests in the folder `home`. */
  build(home: string): Promise<void>;
  /** Returns the command that runs the tests, and writes their outcomes to the file `outcomes`. */
  command(place: Place): Command;
  /** Returns the outcomes in the text of the file. */
  outcomesIn(text: string): Outcome[];
}

/** The place where the tests run. */
export interface Place {
  home: string;
  simulator: Simulator;
  outcomes: string;
}

/** A program with all that it needs. */
export interface Command {
  program: string;
  args: string[];
  cwd: string;
  env: Record<string, string>;
  /** File that gets the standard output. */
  output?: string;
}

/** The outcome of one test. If a test ran again, its last outcome counts. */
export interface Outcome {
  test: string;
  outcome: "passed" | "failed" | "skipped" | "rerun";
  why: string;
}
