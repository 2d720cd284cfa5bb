import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bundle, programs } from "../../tools/bundle/bundle.ts";
import { startControlPlane } from "../support/control-plane.ts";
import type { OwnControlPlane } from "../support/control-plane.ts";
import { applyAll, deploySimulator, restrictedNamespace } from "./installation.ts";
import { only, rendered } from "./rendered.ts";

let cluster: OwnControlPlane;
let app: string;
beforeAll(async () => {
  cluster = await startControlPlane();
  app = mkdtempSync(join(tmpdir(), "app-"));
  await bundle(
    app,
    programs.filter(({ file }) => file === "simulator.mjs"),
  );
});
afterAll(async () => {
  rmSync(app, { recursive: true, force: true });
  await cluster.stop();
});

test("the chart's simulator runs as its Deployment says, in a restricted namespace, and takes the token of its Secret", async () => {
  await restrictedNamespace(cluster, "cloud-system");
  const simulator = { enabled: true, token: "another-token", extraArgs: ["--host=127.0.0.1", "--port=0"] };
  const { manifests } = await rendered({ simulator });
  expect(await applyAll(cluster, manifests)).toBe("");
  const { running, stop } = await deploySimulator(
    cluster,
    app,
    only(manifests, "Deployment", "cpo-cloud-platform-operator-simulator"),
  );
  try {
    const [url] = /http:\S+/.exec(running.output()) ?? [];
    const asked = (token: string) => fetch(`${url}/v4/profile`, { headers: { authorization: `Bearer ${token}` } });
    expect([(await asked("another-token")).status, (await asked("a-wrong-token")).status]).toEqual([200, 401]);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  } finally {
    await stop();
  }
});
