import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createCache } from "../../src/cluster/cache.ts";
import { createKubeClient } from "../../src/cluster/client.ts";
import type { CacheChange } from "../../src/cluster/types.ts";
import { secrets } from "../../src/cluster/secrets.ts";
import type { Clock } from "../../src/queue/clock.ts";
import { createMovedClock } from "../support/clock.ts";
import { startControlPlane } from "../support/control-plane.ts";
import type { OwnControlPlane } from "../support/control-plane.ts";
import { configMaps } from "../../src/cluster/config-maps.ts";
import { createLog, realClock, startProxy, transportFor } from "./support.ts";

describe("a cache of a real API server", () => {
  let own: OwnControlPlane;
  beforeAll(async () => {
    own = await startControlPlane();
  });
  afterAll(() => own.stop());

  const open = async (server = own.server, clock: Clock = realClock) => {
    const transport = transportFor(own.kubeconfig.replace(own.server, server), { clock });
    const cache = createCache({ transport, clock, log: createLog(), resource: configMaps });
    const names: string[] = [];
    cache.onChange(({ type, object }: CacheChange) => names.push(`${type} ${object.metadata.name}`));
    await cache.synced;
    const close = async () => {
      cache.close();
      await transport.close();
    };
    return { cache, names, client: createKubeClient(transport), transport, close };
  };
  const create = (client: ReturnType<typeof createKubeClient>, name: string) =>
    client.create(configMaps, { metadata: { namespace: "default", name }, data: { a: "b" } });

  it("holds what there is, follows changes, and keeps no managedFields", async () => {
    const { cache, client, names, close } = await open();
    const made = await create(client, "followed");
    await vi.waitFor(() => expect(cache.get(made.metadata)).toBeDefined(), { timeout: 20_000, interval: 10 });
    expect(made.metadata).toHaveProperty("managedFields");
    expect(cache.get(made.metadata)?.metadata).not.toHaveProperty("managedFields");
    await client.delete(configMaps, made.metadata);
    await vi.waitFor(() => expect(names).toContain("deleted followed"), { timeout: 20_000, interval: 10 });
    expect(cache.get(made.metadata)).toBeUndefined();
    await close();
  });

  it("keeps of Secrets the metadata alone, and calls them Secrets", async () => {
    const { client, transport, close } = await open();
    await client.create(secrets, { metadata: { namespace: "default", name: "s" }, stringData: { password: "p" } });
    const cache = createCache({ transport, clock: realClock, log: createLog(), resource: secrets, metadataOnly: true });
    await cache.synced;
    const kept = cache.get({ namespace: "default", name: "s" });
    expect(kept).toMatchObject({ apiVersion: "v1", kind: "Secret", metadata: { name: "s" } });
    expect(kept).not.toHaveProperty("data");
    cache.close();
    await close();
  });

  it("sees changes again after the API server was killed, and misses none", async () => {
    const { client, names, close } = await open();
    await create(client, "before-kill");
    await own.killApiServer();
    await expect(create(client, "during")).rejects.toMatchObject({ sent: false, status: undefined });
    await own.restartApiServer();
    const created = (async () => {
      for (let n = 0; n < 50; n++) await create(client, `after-kill-${n}`);
    })();
    await created;
    await vi.waitFor(() => expect(names).toContain("added after-kill-49"), { timeout: 20_000, interval: 10 });
    expect(names.filter((name) => name.startsWith("added after-kill-"))).toHaveLength(50);
    expect(names.filter((name) => name === "added before-kill")).toHaveLength(1);
    await close();
  });

  it("sees changes again within 90 s of a connection that froze silently", async () => {
    const proxy = await startProxy(Number(new URL(own.server).port));
    const clock = createMovedClock();
    const { names, close } = await open(`https://127.0.0.1:${proxy.port}`, clock);
    const direct = await open();
    proxy.freeze();
    const frozenAt = clock.now();
    await create(direct.client, "while-frozen");
    const seen = async () => {
      await clock.advance(1_000);
      expect(names).toContain("added while-frozen");
    };
    await vi.waitFor(seen, { timeout: 20_000, interval: 50 });
    expect(clock.now() - frozenAt).toBeGreaterThan(60_000);
    expect(clock.now() - frozenAt).toBeLessThanOrEqual(90_000);
    await close();
    await direct.close();
    await proxy.close();
  });

  it("holds a hundred watches on few connections", async () => {
    const { transport, close } = await open();
    const caches = Array.from({ length: 100 }, (_, n) =>
      createCache({ transport, clock: realClock, log: createLog(), resource: configMaps, namespaces: [`n-${n}`] }),
    );
    await Promise.all(caches.map((cache) => cache.synced));
    expect(transport.connectionsOpened()).toBeLessThanOrEqual(4);
    for (const cache of caches) cache.close();
    await close();
  });
});
