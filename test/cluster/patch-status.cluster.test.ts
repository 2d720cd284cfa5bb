import { beforeAll, expect, onTestFinished, test } from "vitest";
import type { KubeObject } from "../../src/cluster/types.ts";
import { resourceOf } from "../../src/core/kind/resource.ts";
import { sshKey } from "../../src/kinds/account/ssh-key.ts";
import { sharedControlPlane } from "../support/control-plane.ts";
import { startWorld } from "../support/world.ts";
import type { World } from "../support/world.ts";

const resource = resourceOf(sshKey);
let world: World;
let object: KubeObject;

beforeAll(async () => {
  world = await startWorld(sharedControlPlane(), { start: false, account: false });
  return () => world.stop();
});

async function created(name: string): Promise<KubeObject> {
  onTestFinished(() => world.remove("SSHKey", name));
  const made = world.object("SSHKey", name, {
    sshKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGJyb2FkLWV4YW1wbGUta2V5LWZvci1kb2N1bWVudHMh",
  }) as Record<string, unknown>;
  return world.kube.create(resource, made);
}

const statusOf = async (name: string) => (await world.get("SSHKey", name))?.status;

test("the API server takes a status patch that names the uid of a former object of that name", async () => {
  object = await created("taken");
  const { namespace } = object.metadata;
  const patch = { metadata: { uid: "00000000-0000-4000-8000-000000000000" }, status: { id: "1" } };
  await world.kube.patch(resource, { namespace: namespace ?? "", name: "taken" }, patch, { subresource: "status" });
  expect(await statusOf("taken")).toMatchObject({ id: "1" });
});

test("so a status is never written to another object of that name", async () => {
  object = await created("again");
  await world.remove("SSHKey", "again");
  const other = await world.kube.create(
    resource,
    world.object("SSHKey", "again", {
      sshKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGJyb2FkLWV4YW1wbGUta2V5LWZvci1kb2N1bWVudHMh",
    }) as Record<string, unknown>,
  );
  await expect(world.kube.patchStatus(resource, object, { id: "1" })).rejects.toMatchObject({ status: 404 });
  expect(await statusOf("again")).toEqual(other.status);
});

test("a change of the rest of the object does not stop it", async () => {
  object = await created("edited");
  await world.patch("SSHKey", "edited", { spec: { label: "other" } });
  expect((await world.kube.patchStatus(resource, object, { id: "1" })).status).toMatchObject({ id: "1" });
  expect((await world.get("SSHKey", "edited"))?.spec).toMatchObject({ label: "other" });
});

test("a status that somebody changed meanwhile is a conflict", async () => {
  object = await created("disputed");
  await world.kube.patchStatus(resource, object, { id: "2" });
  await expect(world.kube.patchStatus(resource, object, { id: "1" })).rejects.toMatchObject({ conflict: true });
  expect(await statusOf("disputed")).toMatchObject({ id: "2" });
});

test("a patch of anything else that names another uid is refused", async () => {
  await created("main");
  const patch = { metadata: { uid: "00000000-0000-4000-8000-000000000000", annotations: { a: "b" } } };
  await expect(world.patch("SSHKey", "main", patch)).rejects.toMatchObject({ status: 422 });
});
