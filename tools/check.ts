/** Runs all static checks, two at a time, and shows the output of those that failed. */
import { capture } from "./run/command.ts";

const checks: Record<string, string[]> = {
  types: ["tsc", "--noEmit"],
  lint: ["oxlint"],
  unused: ["knip", "--no-progress"],
  format: ["oxfmt", "--check"],
  architecture: ["vitest", "run", "--project", "unit", "test/architecture"],
  generated: ["node", "src/generate/main.ts", "--check"],
};

const waiting = Object.entries(checks);
let failed = 0;

await Promise.all([work(), work()]);
if (failed > 0) console.log(`${failed} of ${Object.keys(checks).length} checks failed`);
process.exitCode = failed > 0 ? 1 : 0;

async function work(): Promise<void> {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const [name, [command = "", ...args]] = next;
    const started = performance.now();
    const { code, output } = await capture(command, args);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    console.log(`${code === 0 ? "ok    " : "FAILED"} ${name} (${seconds} s)`);
    if (code === 0) continue;
    failed += 1;
    console.log(output.trimEnd().replaceAll(/^/gm, "    "));
  }
}
