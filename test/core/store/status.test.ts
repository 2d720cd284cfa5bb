import { createSecretKey } from "node:crypto";
import { expect, test } from "vitest";
import { KubeError } from "../../../src/cluster/errors.ts";
import type { KubeObject } from "../../../src/cluster/types.ts";
import type { CommonStatus } from "../../../src/core/kind/status-schema.ts";
import type { Environment } from "../../../src/core/model/environment.ts";
import { createMemory } from "../../../src/core/model/memory.ts";
import { createContext } from "../../../src/core/model/context.ts";
import { reportStatus } from "../../../src/core/store/status.ts";
import { firewall } from "../../../src/kinds/networking/firewall.ts";
import { createMovedClock } from "../../support/clock.ts";

const refusal = 'PATCH firewalls edge: Firewall "edge" is invalid: status.state: Too long';

/** A firewall of an API server that refuses statuses with this field; `look` reports one reconcile. */
function arrange(refusedField: string) {
  const errors: string[] = [];
  const patches: Record<string, unknown>[] = [];
  let object = {
    apiVersion: "cloudplatform.dev/v1alpha1",
    kind: "Firewall",
    metadata: { name: "edge", namespace: "shop", uid: "u", generation: 1 },
  } as KubeObject;
  const environment = {
    clock: createMovedClock(),
    memory: createMemory(),
    caches: new Map(),
    installationKey: createSecretKey(Buffer.alloc(32, 7)),
    log: { error: (_: object, message: string) => errors.push(message) },
    events: { emit: () => undefined },
    stored: () => undefined,
    kube: {
      patchStatus(_resource: unknown, _object: unknown, status: Record<string, unknown>) {
        patches.push(status);
        if (refusedField in status) return Promise.reject(new KubeError(refusal, { status: 422, reason: "Invalid" }));
        object = { ...object, status: { ...object.status, ...status } };
        return Promise.resolve(object);
      },
    },
  } as unknown as Environment;
  const look = async (report: Record<string, string>) => {
    const at = createContext(environment, firewall, object, false);
    Object.assign(at.next, { id: "7", report });
    await reportStatus(at, { state: "ready", reason: "Ready", message: "7 is as specified" });
    return object.status as CommonStatus & Record<string, unknown>;
  };
  return { look, errors, patches };
}

test("a report that the API server refuses is left out: id and conditions are stored, and the condition names the field", async () => {
  const { look, errors } = arrange("state");
  const status = await look({ state: "enabled" });
  expect(status).toMatchObject({ id: "7", observedGeneration: 1 });
  expect(status.conditions?.[0]).toMatchObject({ type: "Ready", status: "True" });
  expect(status.conditions?.[0]?.message).toContain("status.state: Too long");
  expect(errors).toEqual(["the API server refuses a status"]);
});

test("the same report is not sent again, nor said again; another is", async () => {
  const { look, errors, patches } = arrange("state");
  await look({ state: "enabled" });
  const before = patches.length;
  await look({ state: "enabled" });
  expect(patches).toHaveLength(before);
  await look({ state: "disabled" });
  expect(patches.length).toBeGreaterThan(before);
  expect(errors).toHaveLength(1);
});

test("a refusal of what every kind has is said once and thrown", async () => {
  const { look, errors, patches } = arrange("id");
  await expect(look({})).rejects.toThrow(refusal);
  await expect(look({})).rejects.toThrow(refusal);
  expect(errors).toHaveLength(1);
  expect(patches.length).toBeLessThan(5);
});
