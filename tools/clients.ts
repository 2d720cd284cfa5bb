/**
 * Runs the own tests of public clients against the simulator under the service's word, as far as package registries have them.
 * Exits non-zero when a test fails that is not known to, or when one that is known to does not.
 */
import { PYTHON } from "../test/simulator/clients/python/suite.ts";
import { runPython } from "./clients/python.ts";
import { judge } from "./clients/suite.ts";

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));
try {
  const { lines, good } = judge(PYTHON, await runPython(PYTHON));
  console.log(`\n${PYTHON.name} ${PYTHON.version}\n${lines.join("\n")}`);
  process.exitCode = good ? 0 : 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
