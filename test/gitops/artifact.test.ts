import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { serveArtifacts } from "./flux/artifact.ts";

test("what is published can be fetched and unpacked, and is what its digest says", async () => {
  const artifacts = await serveArtifacts();
  onTestFinished(() => artifacts.close());
  const folder = mkdtempSync(join(tmpdir(), "fetched-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const artifact = artifacts.publish("shop", { "web/objects.yaml": "kind: Firewall\n" });
  const body = Buffer.from(await (await fetch(artifact.url)).arrayBuffer());
  expect(`sha256:${createHash("sha256").update(body).digest("hex")}`).toBe(artifact.digest);
  expect(body.length).toBe(artifact.size);
  execFileSync("tar", ["-xz", "-C", folder], { input: body });
  expect(readFileSync(join(folder, "web/objects.yaml"), "utf8")).toBe("kind: Firewall\n");
});

test("other files are another revision, the same files the same", async () => {
  const artifacts = await serveArtifacts();
  onTestFinished(() => artifacts.close());
  const revisions = ["a", "b", "a"].map((text) => artifacts.publish("shop", { "objects.yaml": text }).revision);
  expect(new Set(revisions).size).toBe(2);
  expect(revisions[2]).toBe(revisions[0]);
});
