/**
 * A large image goes through the operator as the container image runs it, and not into its memory. `LARGE_IMAGE_MIB` is its size:
 * 256 if not given.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { expect, onTestFinished, test, vi } from "vitest";
import { startBundled } from "../../bench/support/bundled.ts";
import type { Bundled } from "../../bench/support/bundled.ts";
import { resourceOf } from "../../src/core/kind/resource.ts";
import { image } from "../../src/kinds/images/image.ts";

const mebibyte = 1024 ** 2;
const sizeMiB = Number(process.env["LARGE_IMAGE_MIB"] ?? 256);
const growthMiB = 64;

/** Stored, not compressed: as much goes over the wire as is in the image. */
async function startSource(): Promise<string> {
  const block = Buffer.alloc(mebibyte);
  const server = createServer(({ url = "" }, response) => {
    const blocks = Array.from({ length: Number(/(\d+)\.img/.exec(url)?.[1]) }, () => block);
    void pipeline(Readable.from(blocks), createGzip({ level: 0 }), response).catch(() => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function upload({ kube, namespace }: Bundled, source: string, mebibytes: number): Promise<void> {
  const metadata = { name: `image-${mebibytes}`, namespace };
  const download = { region: "us-east", url: `${source}/${mebibytes}.img.gz` };
  const { kind } = image;
  const object = { apiVersion: "cloudplatform.dev/v1alpha1", kind, metadata, spec: { source: { download } } };
  await kube.create(resourceOf(image), object);
  const ready = async (): Promise<void> => {
    const found = await kube.get(resourceOf(image), metadata);
    expect(found?.status).toMatchObject({ state: "available", sizeMB: mebibytes });
  };
  await vi.waitFor(ready, { timeout: 540_000, interval: 500 });
}

test(
  `an image of ${sizeMiB} MiB is downloaded and sent on within ${growthMiB} MiB of memory`,
  { timeout: 600_000 },
  async () => {
    const source = await startSource();
    const world = await startBundled(["--image-source", source]);
    onTestFinished(() => world.stop());
    // The first one also loads what an upload needs.
    await upload(world, source, 1);
    const operator = world.operator();
    const before = operator.residentMiB();
    operator.forgetPeak();
    await upload(world, source, sizeMiB);
    const grown = operator.peakMiB() - before;
    expect(grown, `more than ${Math.round(before)} MiB`).toBeLessThan(growthMiB);
  },
);
