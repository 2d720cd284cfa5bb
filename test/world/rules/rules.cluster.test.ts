/** The rules of the world's API server, on a real one of its own: a webhook on loopback can be asked only from this machine. */
import { beforeAll, expect, test } from "vitest";
import { startControlPlane } from "../../support/control-plane.ts";
import { installDefinitions } from "../../support/definitions.ts";
import { holdDeletions } from "./api-server/held-deletions.ts";
import { openReal } from "./api-server/real.ts";
import type { RealApiServer } from "./api-server/real.ts";
import { apiServerRules } from "./api-server/rules.ts";

const namespace = "default";
let server: RealApiServer;

beforeAll(async () => {
  const plane = await startControlPlane();
  await installDefinitions(plane.kubectl);
  const held = await holdDeletions(plane.kubeconfig, namespace);
  server = openReal(plane.kubeconfig, namespace, held);
  return async () => {
    await server.close();
    await plane.stop();
    await held.close();
  };
});

let used = 0;

test.each(apiServerRules)("$rule", async ({ run, gives }) => {
  used += 1;
  expect(await run(server.side(`rule-${used}`))).toEqual(gives);
});
