import { spawn, spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { bundle, licenceFile, programs } from "../../tools/bundle/bundle.ts";
import { undiciParts } from "../../tools/bundle/slim.ts";

const made = mkdtempSync(join(tmpdir(), "bundle-"));

beforeAll(() => bundle(join(made, "dist")), 60_000);
afterAll(() => rmSync(made, { recursive: true, force: true }));

/** The bundle alone in an empty folder, where it finds no dependency. */
function alone(file: string): string {
  const folder = mkdtempSync(join(tmpdir(), "alone-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  copyFileSync(join(made, "dist", file), join(folder, file));
  return folder;
}

function sourceMap(file = "operator.mjs"): { sources: string[]; sourcesContent: (string | null)[] } {
  const text = readFileSync(join(made, "dist", `${file}.map`), "utf8");
  return JSON.parse(text) as ReturnType<typeof sourceMap>;
}

describe("a bundle", { timeout: 30_000 }, () => {
  it.each(programs)("$file says what it is and its version from an empty folder", ({ file }) => {
    const run = (flag: string) => spawnSync(process.execPath, [file, flag], { cwd: alone(file), encoding: "utf8" });
    expect(run("--help")).toMatchObject({ status: 0, stderr: "", stdout: expect.stringContaining("Usage: cloud") });
    expect(run("--version")).toMatchObject({ status: 0, stderr: "", stdout: `${manifest.version}\n` });
  });

  it.each(programs)("$file is at most five megabytes", ({ file }) => {
    expect(statSync(join(made, "dist", file)).size).toBeLessThanOrEqual(5_000_000);
  });

  it("of the operator holds what it uses of large packages, because each megabyte is several in memory", () => {
    const { sources, sourcesContent } = sourceMap();
    const languages = sources.filter((path) => /zod\/.*\/locales\//.test(path)).map((path) => path.split("/").at(-1));
    expect(languages).toEqual(["en.js"]);
    const models = sources.filter((path) => /client-node\/dist\/gen\/(models|apis)\//.test(path));
    expect(models).toEqual([]);
    expect(sources.filter((path) => /undici\/lib\/(mock|cache|web\/websocket)\//.test(path))).toEqual([]);
    const asked = [...sourcesContent.join("\n").matchAll(/^import \{([^}]*)\} from ["']undici["']/gm)]
      .flatMap(([, names = ""]) => names.split(",").map((name) => name.trim()))
      .filter((name) => name !== "" && !name.startsWith("type "))
      .map((name) => name.split(" as ")[0]);
    expect(Object.keys(undiciParts)).toEqual(expect.arrayContaining([...new Set(asked)]));
    expect(asked).toContain("Pool");
  });

  it("of the operator has a bundle beside it for the thread that renews the Lease, without kinds and core", () => {
    expect(statSync(join(made, "dist", "lease.mjs")).size).toBeLessThanOrEqual(2_000_000);
    const { sources } = sourceMap("lease.mjs");
    expect(sources.filter((path) => /src\/(core|kinds|api|observe)\//.test(path))).toEqual([]);
  });

  it("of the operator ends with one line when a setting is wrong", () => {
    const flags = ["--endpoint", "default=http://127.0.0.1:1", "--kubeconfig", "/nowhere"];
    const ended = spawnSync(process.execPath, ["operator.mjs", ...flags], {
      cwd: alone("operator.mjs"),
      encoding: "utf8",
    });
    expect(ended.status).toBe(2);
    expect(ended.stderr.trim().split("\n")).toEqual([expect.stringContaining("--kubeconfig")]);
  });

  it("of the simulator answers", async () => {
    const child = spawn(process.execPath, ["simulator.mjs", "--port", "0"], { cwd: alone("simulator.mjs") });
    onTestFinished(() => void child.kill("SIGKILL"));
    let out = "";
    child.stdout.on("data", (text: Buffer) => (out += String(text)));
    await expect.poll(() => out, { timeout: 20_000 }).toContain("curl");
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(out)?.[0] ?? "";
    expect(await (await fetch(`${url}/healthz`)).text()).toBe("ok\n");
  });
});

it("the licences name what is in the bundles, with the words of the licence", () => {
  const text = readFileSync(join(made, "dist", licenceFile), "utf8");
  const parts = text.split("=".repeat(80)).slice(1);
  expect(parts.map((part) => part.trim().split(" ")[0])).toEqual(
    expect.arrayContaining(["@kubernetes/client-node", "abstract-logging", "fastify", "pino", "undici", "zod"]),
  );
  for (const part of parts) expect(part).toMatch(/permission|permitted|apache license|public domain/i);
});
