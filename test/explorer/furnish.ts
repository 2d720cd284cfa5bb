/** The world of a life before its first command, and after its last. */
import { gzipSync } from "node:zlib";
import { secrets } from "../../src/cluster/secrets.ts";
import { token } from "../world/world.ts";
import type { World } from "../world/world.ts";
import { accountRefOf, actorOf, victimAt } from "./actor.ts";
import type { Stage } from "./actor.ts";
import { palette } from "./palette.ts";

/** Bytes that are no text. */
export const userData = gzipSync("#cloud-config\n");

const slow = new Set(["ComputeInstance", "ManagedMySQL"]);

/** Sets the world up for a life: accounts, domains for records, and what others have. */
export async function furnish({ world, life }: Stage): Promise<void> {
  const { cluster, cloud } = world;
  const { account } = cloud.user("ada");
  cloud.addUser({ token: "token-of-second", username: "bob", account });
  cloud.addUser({ token: "token-of-stranger", username: "eve" });
  for (const namespace of ["default", "guest"])
    cluster.objects.create(secrets, {
      metadata: { name: "user-data", namespace },
      data: { "user-data": userData.toString("base64") },
    });
  for (const namespace of ["default", "guest"])
    cluster.secret("root-password", { password: "s3cret-of-root" }, namespace);
  const places = new Set(life.residents.map(({ place }) => place));
  if (places.has("second")) {
    cluster.secret("second-token", { token: "token-of-second" });
    cluster.create("CloudAccount", "second", { tokenSecretRef: { name: "second-token" } });
  }
  if (places.has("guest"))
    cluster.patch("CloudAccount", "default", { spec: { sharing: { namespaces: ["guest"], accountWide: ["guest"] } } });
  for (const { kind, place } of life.residents) {
    const namespace = place === "guest" ? "guest" : "default";
    const { below, beside } = palette[kind] ?? {};
    const accountRef = accountRefOf("ada", namespace);
    for (const needed of [below, beside]) {
      if (!needed || cluster.get(needed.kind, needed.name, namespace)) continue;
      const spec = { ...needed.spec(namespace), ...(accountRef && { accountRef }) };
      cluster.create(needed.kind, needed.name, spec, { namespace });
    }
  }
  // Only what is there, and may take something, holds others.
  const isSlow = life.residents.some(({ kind }) => slow.has(palette[kind]?.below?.kind ?? ""));
  await world.advance(isSlow ? 60_000 : 1_000);
  for (const index of life.residents.keys()) {
    const { path, swatch, user } = actorOf({ world, life }, index);
    if (!victimAt(world, path, user)) cloud.add(path, swatch.foreign("victim"), user);
  }
}

/** Nothing goes wrong any more. */
export function calm({ world, life }: Stage): void {
  const { cluster, cloud } = world;
  cloud.clearFaults();
  cluster.writeFaults.length = 0;
  cloud.settings.listLagMs = 0;
  for (const row of cloud.history()) if (row.stubborn) row.stubborn = false;
  rightToken(world);
  usualPolls(world);
  Object.assign(cluster.watch, { held: false, delayMs: 0, repeated: false });
  cluster.releaseWatches();
  if (world.processes().length === 0) world.restart();
  cloud.settings.latencyMs = life.cloudMs;
}

/** A life is judged after a poll: what is listed each hour would be judged by what nobody has read yet. */
function usualPolls({ cluster }: World): void {
  const { pollSeconds } = (cluster.get("CloudAccount", "default")?.spec ?? {}) as { pollSeconds?: number };
  if (pollSeconds !== undefined) cluster.patch("CloudAccount", "default", { spec: { pollSeconds: null } });
}

/** The account has a token of whom it belongs to. */
function rightToken({ cluster, cloud }: World): void {
  const secret = cluster.get("Secret", "cloud-token");
  if (!secret) return;
  cloud.addToken(token, "ada");
  const { identity } = (cluster.get("CloudAccount", "default")?.status ?? {}) as { identity?: { euuid?: string } };
  const right = identity?.euuid === cloud.user("eve").account ? "token-of-stranger" : token;
  cluster.patch("Secret", "cloud-token", { stringData: { token: right } });
}
