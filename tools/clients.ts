/**
 * Replays the recorded traffic of the folder RECORDED, if it is set, and runs the own tests of public clients against the simulator,
 * as far as package registries have them. Exits non-zero if a response differs without a reason, if a test fails that is not
 * known to fail, or if a test that is known to fail passes.
 */
import { DNSCONTROL } from "../test/simulator/clients/dnscontrol/suite.ts";
import { LEGO } from "../test/simulator/clients/lego/suite.ts";
import { PYTHON } from "../test/simulator/clients/python/suite.ts";
import { runRecorded } from "../test/simulator/clients/recorded/run.ts";
import { judge } from "./clients/judge.ts";
import { runSuite } from "./clients/run-suite.ts";

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));
const { RECORDED: folder = "" } = process.env;
try {
  if (folder !== "") {
    const { lines, good } = await runRecorded(folder);
    console.log(`recorded traffic\n${lines.join("\n")}`);
    if (!good) process.exitCode = 1;
  }
  for (const suite of [PYTHON, DNSCONTROL, LEGO]) {
    const { lines, good } = judge(suite, await runSuite(suite));
    console.log(`\n${suite.name} ${suite.version}\n${lines.join("\n")}`);
    if (!good) process.exitCode = 1;
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
