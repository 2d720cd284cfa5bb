import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../src/cluster/types.ts";
import { createAnotherAnnotation } from "../../src/core/kind/annotations.ts";
import { argumentsOf, kindNamed } from "../../src/cli/objects.ts";
import { quoted } from "../../src/cli/shell.ts";
import { commandsFor, patchCommand, storeCommand } from "../../src/cli/why/cures.ts";
import { folderOfTest } from "./run.ts";

/** Runs a printed command in a shell, with a kubectl that prints its arguments. */
function argumentsIn(command: string, folder: string): string[] {
  const kubectl = String.raw`kubectl() { printf '%s\0' "$@"; }`;
  const text = execFileSync("sh", ["-c", `${kubectl}\n${command}`], { cwd: folder, encoding: "utf8" });
  return text.split("\0").slice(0, -1);
}

/** Returns an object whose condition has a message. */
function saying(reason: string, message: string, name = "robots"): KubeObject {
  const condition = { type: "Ready", status: "False", reason, message };
  return {
    apiVersion: "cloudplatform.dev/v1alpha1",
    kind: "SSHKey",
    metadata: { name, namespace: "shop", uid: "1", resourceVersion: "1", creationTimestamp: "" },
    status: { conditions: [condition] },
  };
}

const hostile = [
  "$(touch made)",
  "`touch made`",
  "a;touch made",
  "it's;touch made;'",
  "a\ntouch made",
  "a>made",
  "a b",
];

describe("a word of a command", () => {
  it.each([
    ["state.json", "state.json"],
    ["my state.json", "'my state.json'"],
    ["$(touch x)", "'$(touch x)'"],
    ["", "''"],
  ])("%j is quoted as %s", (text, wanted) => {
    expect(quoted(text)).toBe(wanted);
  });
});

describe("a printed command runs nothing that a foreign text names", () => {
  it.each(hostile)("%j", (text) => {
    const folder = folderOfTest();
    const kind = kindNamed("sshkey");
    const object = saying("Conflict", `Set spec.management.adopt.id: "${text}"`);
    const commands = [
      ...commandsFor({ kind, object }, "Conflict"),
      patchCommand(object, { spec: { sharing: { namespaces: [text] } } }),
      `kubectl delete ${argumentsOf(saying("Ready", "", text))}`,
      storeCommand("ConfigMap", text, { name: text, key: text, exists: false }).replace("<file>", "file"),
      storeCommand("Secret", text, { name: text, key: text, exists: true }).replace("<file>", "file"),
    ];
    const given = commands.map((command) => argumentsIn(command, folder));
    expect(given).toHaveLength(5);
    const [adopt, patch, ...others] = given;
    expect(adopt).toContain(text);
    expect(patch?.at(-1)).toBe(JSON.stringify({ spec: { sharing: { namespaces: [text] } } }));
    expect(others.map((words) => words.some((word) => word === text))).toEqual([true, true, true]);
    expect(existsSync(join(folder, "made"))).toBe(false);
  });

  it("nor an offer in a message", () => {
    const folder = folderOfTest();
    const kind = kindNamed("sshkey");
    const object = saying("Conflict", `Permit it: ${createAnotherAnnotation}=$(id>made)`);
    const words = commandsFor({ kind, object }, "Conflict").flatMap((command) =>
      argumentsIn(command.replace("<ID>", "ID"), folder),
    );
    expect(words).toContain(`${createAnotherAnnotation}=$(id>made)`);
    expect(existsSync(join(folder, "made"))).toBe(false);
  });
});
