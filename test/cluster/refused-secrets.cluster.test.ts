import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { KubeObject, Resource } from "../../src/cluster/types.ts";
import { secrets } from "../../src/cluster/secrets.ts";
import { sharedControlPlane } from "../support/control-plane.ts";
import { startWorld } from "../support/world.ts";
import type { World } from "../support/world.ts";

/** A policy of an administrator refuses each update of a Secret, and quotes the stored Secret in the message. */
const admission = { group: "admissionregistration.k8s.io", version: "v1", namespaced: false };
const policies: Resource = { ...admission, plural: "validatingadmissionpolicies", kind: "ValidatingAdmissionPolicy" };
const bindings: Resource = {
  ...admission,
  plural: "validatingadmissionpolicybindings",
  kind: "ValidatingAdmissionPolicyBinding",
};

const token = "0123456789abcdef".repeat(4);
let world: World;
let name: string;

beforeAll(async () => {
  world = await startWorld(sharedControlPlane(), { account: false });
  name = `quoting.${world.namespace}`;
  const rule = { apiGroups: [""], apiVersions: ["v1"], operations: ["UPDATE"], resources: ["secrets"] };
  const quote = "'refused: ' + object.data.map(key, key + '=' + object.data[key]).join(',')";
  await world.kube.create(policies, {
    metadata: { name },
    spec: {
      matchConstraints: { resourceRules: [rule] },
      validations: [{ expression: "!has(object.data)", messageExpression: quote }],
    },
  });
  const namespaceSelector = { matchLabels: { "kubernetes.io/metadata.name": world.namespace } };
  await world.kube.create(bindings, {
    metadata: { name },
    spec: { policyName: name, validationActions: ["Deny"], matchResources: { namespaceSelector } },
  });
});
afterAll(async () => {
  await world.kube.delete(bindings, { name });
  await world.kube.delete(policies, { name });
  await world.stop();
});

test("a policy that quotes the token does not bring the token into the status of the CloudAccount", async () => {
  const ref = { namespace: world.namespace, name: "cloud-token" };
  await world.kube.create(secrets, { metadata: ref, data: { token: btoa(token) } });
  await vi.waitFor(async () => {
    const patch = world.kube.patch(secrets, ref, { metadata: { labels: { at: String(Math.random()) } } });
    await expect(patch).rejects.toThrow("denied request");
  }, 30_000);
  await world.apply(world.object("CloudAccount", "default", { tokenSecretRef: { name: "cloud-token" } }));
  const words = `ValidatingAdmissionPolicy '${name}' with binding '${name}' denied request`;
  const isRefused = ({ status }: KubeObject) => JSON.stringify(status).includes(words);
  const account = await world.until("CloudAccount", "default", isRefused, 30_000);
  const status = JSON.stringify(account.status);
  expect(status).toContain("cloud-token");
  expect(status).not.toContain(btoa(token).slice(0, 12));
  expect(status).not.toContain(token.slice(0, 12));
});
