/** Replays the recorded interactions of the folder RECORDED against the simulator. Exits non-zero if a response differs without a reason. */
import { runRecorded } from "../test/simulator/clients/recorded/run.ts";

const folder = process.env["RECORDED"];
if (folder === undefined || folder === "") {
  console.error("RECORDED must name a folder of recorded interactions: RECORDED=folder make recorded");
  process.exitCode = 2;
} else {
  const { lines, good } = await runRecorded(folder);
  console.log(lines.join("\n"));
  process.exitCode = good ? 0 : 1;
}
