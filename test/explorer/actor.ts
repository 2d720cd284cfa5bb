/** Who a command of a story is about: a resident, with what stands for it in cluster and cloud. */
import type { KubeObject, Resource } from "../../src/cluster/types.ts";
import type { CloudRow } from "../world/rows.ts";
import { resources } from "../../src/twin/definitions.ts";
import type { World } from "../world/world.ts";
import type { Chronicle } from "./chronicle.ts";
import { isAdmitted, patchedSpec } from "./admission.ts";
import { palette } from "./palette.ts";
import type { Swatch } from "./palette.ts";
import type { Life } from "./story.ts";

export interface Stage {
  world: World;
  chronicle: Chronicle;
  life: Life;
  /** When answers for one account began to be slow; `troubled`: the life has other trouble, too. */
  slow?: Slowness[];
}

export interface Slowness {
  place: string;
  from: number;
  troubled: boolean;
}

/** A resident with what stands for it in cluster and cloud. */
export interface Actor {
  name: string;
  namespace: string;
  user: string;
  label: string;
  swatch: Swatch;
  resource: Resource;
  object: KubeObject | undefined;
  path: string;
  row: CloudRow | undefined;
  /** What its row is in, or on. */
  holder: (Pick<Swatch, "path" | "foreign"> & { id: string }) | undefined;
}

export function actorOf({ world, life }: Pick<Stage, "world" | "life">, who: number): Actor {
  const { kind, shared, place } = life.residents[who % life.residents.length] ?? {
    kind: 0,
    shared: false,
    place: "default",
  };
  const swatch = palette[kind % palette.length]!;
  const namespace = place === "guest" ? "guest" : "default";
  const user = place === "second" ? "bob" : "ada";
  const name = `s${who}`;
  const object = world.cluster.get(swatch.kind, name, namespace);
  const holder = holderOf(world, swatch, namespace);
  const path = swatch.path.replace("{}", holder?.id ?? "0");
  const id = object?.status?.["id"] as string | undefined;
  const row = id === undefined ? undefined : world.cloud.find(path, id, user);
  return {
    name,
    namespace,
    user,
    label: shared ? "shared" : `own-${who}`,
    swatch,
    resource: resources.get(swatch.kind)!,
    object,
    path,
    row,
    holder,
  };
}

function holderOf({ cluster }: World, { below }: Swatch, namespace: string): Actor["holder"] {
  const id = below && (cluster.get(below.kind, below.name, namespace)?.status?.["id"] as string | undefined);
  const swatch = palette.find(({ kind }) => kind === below?.kind);
  return id === undefined || !swatch ? undefined : { ...swatch, id };
}

export function accountRefOf(user: string, namespace: string): object | undefined {
  if (user === "bob") return { name: "second" };
  return namespace === "guest" ? { name: "default", namespace: "default" } : undefined;
}

export function victimAt({ cloud }: World, path: string, user: string): CloudRow | undefined {
  return cloud
    .history()
    .find(
      (row) =>
        row.path === path &&
        row.madeBy === undefined &&
        !row.removed &&
        (!row.holder.includes("/") || row.holder.endsWith(user)),
    );
}

/** What somebody changes of an object with kubectl; nothing where the API server refuses it. */
export function patch({ world }: Pick<Stage, "world">, object: KubeObject, change: Record<string, unknown>): void {
  const { kind, metadata } = object;
  const now = world.cluster.get(kind, metadata.name, metadata.namespace);
  const { spec } = change as { spec?: Record<string, unknown> };
  if (!now || (spec && !isAdmitted(kind, patchedSpec(now, spec)))) return;
  world.cluster.patch(kind, metadata.name, change, metadata.namespace);
}

export function annotate(
  stage: Pick<Stage, "world">,
  object: KubeObject,
  annotations: Record<string, string | null>,
): void {
  patch(stage, object, { metadata: { annotations } });
}

export function beginDelete({ world }: Pick<Stage, "world">, { kind, metadata }: KubeObject): () => void {
  return world.cluster.beginDelete(kind, metadata.name, metadata.namespace);
}
