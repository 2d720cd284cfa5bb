/** An image whose data the operator reads elsewhere and sends on, on a real API server and the simulator. */
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { expect, onTestFinished, test, vi } from "vitest";
import { sharedControlPlane } from "../support/control-plane.ts";
import { conditionOf } from "../support/world.ts";
import { secrets, startContractWorld } from "./support/contract-test.ts";
import type { ContractWorld } from "./support/contract-test.ts";

const data = gzipSync(Buffer.alloc(3 * 1024 ** 2));

interface Scene {
  world: ContractWorld;
  url: string;
  /** Requests to the source so far. */
  reads: () => number;
}

/** A source that answers each request with the next of these, then with the last one. */
async function withSource(answers: RequestListener[], permitted = true): Promise<Scene> {
  let reads = 0;
  const server = createServer((request, response) => {
    reads += 1;
    answers[Math.min(reads, answers.length) - 1]?.(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const imageSources = permitted ? [origin] : ["https://images.example.org"];
  const world = await startContractWorld(sharedControlPlane(), { operator: { imageSources } });
  onTestFinished(async () => {
    await world.stop();
    server.close();
    server.closeAllConnections();
  });
  const url = `${origin}/base.img.gz?signature=s3cret`;
  await world.apply(world.object("Image", "base", { source: { download: { region: "us-east", url } } }));
  return { world, url, reads: () => reads };
}

const whole: RequestListener = (_request, response) => {
  response.writeHead(200, { "content-length": data.length }).end(data);
};
const broken: RequestListener = (_request, response) => {
  response.writeHead(200, { "content-length": data.length }).write(data.subarray(0, 100));
  setTimeout(() => response.destroy(), 50);
};
const slow: RequestListener = (_request, response) =>
  void response.writeHead(200, { "content-length": data.length }).write(data.subarray(0, 100));

const asked = ({ world }: Scene): number =>
  world.simulator.control.ledger({ method: "POST", path: "/v4/images/upload" }).length;

const saying = ({ world }: Scene, text: string) =>
  world.until("Image", "base", (one) => conditionOf(one, "Ready")?.message?.includes(text) === true);

test("is sent on, becomes available, and its Secret goes", { timeout: 60_000 }, async () => {
  const scene = await withSource([whole]);
  const { world } = scene;
  const object = await world.ready("Image", "base");
  expect(object.status).toMatchObject({ state: "available", sizeMB: 3 });
  const ref = { namespace: world.namespace, name: "base-image-upload" };
  expect(await world.kube.get(secrets, ref)).toBeUndefined();
  expect([asked(scene), scene.reads()]).toEqual([1, 1]);
});

test("is not made of a source that the operator does not read from", { timeout: 60_000 }, async () => {
  const scene = await withSource([whole], false);
  const object = await scene.world.condition("Image", "base", "Stalled", "NotPermitted");
  expect(conditionOf(object, "Ready")?.message).toContain("Permitted are: https://images.example.org");
  expect([asked(scene), scene.reads()]).toEqual([0, 0]);
});

test("that breaks off is sent again to the same image", { timeout: 60_000 }, async () => {
  const scene = await withSource([broken, whole]);
  const said = await saying(scene, "was not sent");
  expect(JSON.stringify(said.status)).not.toContain("s3cret");
  await scene.world.ready("Image", "base", 30_000);
  expect([asked(scene), scene.reads()]).toEqual([1, 2]);
});

test("that is no gzip is said, and the image waits", { timeout: 60_000 }, async () => {
  const scene = await withSource([(_request, response) => response.end("<html>")]);
  await saying(scene, "is not compressed with gzip");
  expect(asked(scene)).toBe(1);
});

test("is sent anew by the operator that comes after one that ended meanwhile", { timeout: 60_000 }, async () => {
  const scene = await withSource([slow, whole]);
  await saying(scene, "is being sent");
  await scene.world.restartOperator();
  await scene.world.ready("Image", "base", 30_000);
  expect([asked(scene), scene.reads()]).toEqual([1, 2]);
});

test("ends when its object is deleted", { timeout: 60_000 }, async () => {
  let ended = false;
  const dripping: RequestListener = (request, response) => {
    response.writeHead(200, { "content-length": data.length }).write(data.subarray(0, 10));
    const timer = setInterval(() => response.write(Buffer.alloc(10)), 50);
    response.on("close", () => {
      clearInterval(timer);
      ended = true;
    });
  };
  const scene = await withSource([dripping]);
  const { world } = scene;
  await saying(scene, "is being sent");
  await world.remove("Image", "base");
  await world.gone("Image", "base");
  await vi.waitFor(() => expect(ended).toBe(true), { timeout: 5_000 });
  expect(await world.stranger.list("/images?page=1")).not.toContainEqual(expect.objectContaining({ label: "base" }));
  expect(scene.reads()).toBe(1);
});

/** What a tenant who may write Secrets makes of the one with the URL; digests without a key are no secret. */
async function forge({ world }: Scene, url: string): Promise<void> {
  const { status } = (await world.get("Image", "base")) ?? {};
  const id = String(status?.["id"]);
  const sum = createHash("sha256").update(JSON.stringify([id, [["url", url]]]));
  const label = `${id.replaceAll(/[^\w.-]/g, "-")}.${sum.digest("hex").slice(0, 32)}`;
  const ref = { namespace: world.namespace, name: "base-image-upload" };
  const data = { url: Buffer.from(url).toString("base64") };
  await world.kube.patch(secrets, ref, { data, metadata: { labels: { "cloudplatform.dev/published-for": label } } });
}

test("is sent nowhere but to the URL that the cloud handed out, whatever somebody writes into its Secret", async () => {
  let reached = 0;
  const inner = createServer((_request, response) => {
    reached += 1;
    response.end();
  });
  await new Promise<void>((resolve) => inner.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void inner.close());
  const scene = await withSource([slow, whole]);
  await saying(scene, "is being sent");
  await scene.world.stopOperator();
  await forge(scene, `http://127.0.0.1:${(inner.address() as AddressInfo).port}/admin`);
  await scene.world.restartOperator();
  await saying(scene, "does not hold the URL that it is sent to");
  expect(reached).toBe(0);
});
