/** Makes a program of tools/ available and prints where it is: `node tools/go-tool.ts helm`. */
import { ensureGoTool, goTools } from "./go-tool/ensure.ts";

const wanted = goTools.find((name) => name === process.argv[2]);
if (wanted === undefined) {
  console.error(`name one of ${goTools.join(", ")}`);
  process.exitCode = 2;
} else {
  console.log(await ensureGoTool(wanted));
}
