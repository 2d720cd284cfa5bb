import { expect, test } from "vitest";
import type { KubeObject } from "../../../src/cluster/types.ts";
import { createSecretStore } from "../../../src/cluster/secrets.ts";
import type { Connected } from "../../../src/core/model/context.ts";
import { resolveReferences } from "../../../src/core/secrets/references.ts";
import { computeInstance } from "../../../src/kinds/compute/compute-instance.ts";
import { createFakeClient } from "../../cluster/fake-client.ts";

const gzip = Buffer.from([0x1f, 0x8b, 0x08, 0x00, 0xff, 0xfe]).toString("base64");
const text = Buffer.from("Corr3ct-horse").toString("base64");

/** An instance whose Secret `boot` holds this data, in base64. */
async function instance(data: Record<string, string>, next: object = {}): Promise<Connected> {
  const server = createFakeClient();
  const secrets = { group: "", version: "v1", plural: "secrets", kind: "Secret", namespaced: true };
  await server.create(secrets, { kind: "Secret", metadata: { namespace: "shop", name: "boot" }, data });
  const object: KubeObject = {
    apiVersion: "cloudplatform.dev/v1alpha1",
    kind: "ComputeInstance",
    metadata: { name: "web", namespace: "shop", uid: "u", creationTimestamp: "" },
  } as KubeObject;
  const spec = {
    image: "compute/debian12",
    rootPasswordSecretRef: { name: "boot" },
    userDataSecretRef: { name: "boot" },
  };
  const environment = { secretValueBytes: 65_536, secrets: createSecretStore(server) };
  return { environment, object, spec, kind: computeInstance, next: { ...next } } as unknown as Connected;
}

test("user data that is gzip reaches the kind as it is, in base64", async () => {
  const { refs } = await resolveReferences(await instance({ password: text, "user-data": gzip }), { creating: true });
  expect(refs).toMatchObject({ rootPasswordSecretRef: "Corr3ct-horse", userDataSecretRef: gzip });
});

test("a password that is no text is refused by Secret and key, without its value", async () => {
  const at = await instance({ password: gzip, "user-data": gzip });
  await expect(resolveReferences(at, { creating: true })).rejects.toThrow(
    "spec.rootPasswordSecretRef: the value of key password in Secret boot is not UTF-8 text",
  );
});

test("a password that is no text does not hurt an instance that needs none any more", async () => {
  const at = await instance({ password: gzip, "user-data": gzip });
  expect((await resolveReferences(at)).refs).toEqual({});
});
