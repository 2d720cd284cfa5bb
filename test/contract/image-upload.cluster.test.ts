/** An image whose data somebody else sends, on a real API server and the simulator. */
import { gzipSync } from "node:zlib";
import { expect } from "vitest";
import { conditionOf } from "../support/world.ts";
import { contractTest, secrets } from "./support/contract-test.ts";

contractTest(
  "data that is sent as the Secret says makes the image available, and the Secret goes",
  { timeout: 60_000 },
  async ({ world }) => {
    const ref = { namespace: world.namespace, name: "golden-image-upload" };
    await world.apply(world.object("Image", "golden", { source: { handOff: { region: "us-east" } } }));
    await world.until("Image", "golden", (one) => conditionOf(one, "Ready")?.reason === "WaitingForUpload");
    const { data = {} } = (await world.kube.get(secrets, ref)) as { data?: Record<string, string> };
    const text = (key: string): string => Buffer.from(data[key] ?? "", "base64").toString();
    const sent = await fetch(text("url"), {
      method: text("method"),
      headers: { "content-type": text("contentType") },
      body: gzipSync(Buffer.alloc(4_096)),
    });
    expect(sent.status).toBe(200);
    const { status } = await world.ready("Image", "golden");
    expect(status).toMatchObject({ state: "available", id: expect.stringMatching(/^private\/\d+$/) });
    expect(await world.kube.get(secrets, ref)).toBeUndefined();
    await world.remove("Image", "golden");
    await world.gone("Image", "golden");
    expect(await world.stranger.get(`/images/${String(status?.["id"])}`)).toBeUndefined();
  },
);
