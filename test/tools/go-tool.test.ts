import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ensureGoTool, goTools } from "../../tools/go-tool/ensure.ts";
import { moduleFolder, moduleHash, pinnedVersion } from "../../tools/go-tool/module.ts";
import { platform } from "../../tools/run/places.ts";

let cache = "";
beforeEach(() => {
  cache = mkdtempSync(join(tmpdir(), "go-tools-"));
});
afterEach(() => rmSync(cache, { recursive: true, force: true }));

describe("programs built from Go modules", () => {
  it.each(goTools)("%s has a module that pins it, sums included", (name) => {
    expect(readFileSync(join(moduleFolder(name), "go.mod"), "utf8")).toMatch(/^go 1\.\d+/m);
    expect(readFileSync(join(moduleFolder(name), "go.sum"), "utf8")).not.toBe("");
  });

  it("are found without a word once they are in the cache", async () => {
    const said: string[] = [];
    const folder = join(
      cache,
      "cloud-platform-operator",
      "tools",
      `helm-${moduleHash("helm")}-${platform.os}-${platform.arch}`,
    );
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "helm"), "");
    chmodSync(join(folder, "helm"), 0o755);
    const progress = { say: (line: string) => void said.push(line), step: () => undefined, end: () => undefined };
    const path = await ensureGoTool("helm", { environment: { XDG_CACHE_HOME: cache }, progress });
    expect(path).toBe(join(folder, "helm"));
    expect(said).toEqual([]);
  });

  it("say which dependency a module does not pin", () => {
    expect(() => pinnedVersion("etcd", "example.org/none")).toThrow("tools/etcd/go.mod does not pin example.org/none");
  });
});
