/**
 * Reads the CustomResourceDefinition of a kind before requests. The API server drops each field that the definition does not have.
 * With older definitions, `deletionPolicy: Orphan`, `protect: true` and `policy: Paused` would disappear from all objects.
 */
import type { KubeClient } from "../../cluster/types.ts";
import type { Context } from "../model/context.ts";
import type { Environment } from "../model/environment.ts";
import type { Kind } from "../kind/owned.ts";
import { isKubeError, Stalled, Waiting } from "../kind/outcome.ts";
import { group, version } from "../kind/resource.ts";
import { missingFields } from "../model/served-fields.ts";
import type { Served } from "../model/served-fields.ts";
import type { Definition, Definitions } from "./definitions.ts";
import type { FreshReads, Since } from "./fresh.ts";
import { times } from "../kind/times.ts";

interface KnownDefinition {
  of: string;
  missing: readonly string[];
}

/** `isNamespaced`: the permissions come from Roles in namespaces, so the operator cannot read definitions. */
interface DefinitionsOptions {
  kube: KubeClient;
  fresh: FreshReads;
  isNamespaced: boolean;
}

/** After the first read of a definition, the operator reads metadata until the version changes. */
export function createDefinitions({ kube, fresh, isNamespaced }: DefinitionsOptions): Definitions {
  const known = new Map<string, KnownDefinition>();

  function keep(plural: string, of: string, missing: () => readonly string[]): readonly string[] {
    const before = known.get(plural);
    if (before?.of === of) return before.missing;
    const now = { of, missing: missing() };
    known.set(plural, now);
    return now.missing;
  }

  async function readWhole(kind: Kind): Promise<Definition> {
    const ref = { name: definitionName(kind) };
    const before = known.get(kind.plural);
    const found = await kube.get(definitions, ref, { metadataOnly: before !== undefined });
    if (!found) return { isDeleted: true, missing: [] };
    const { uid, resourceVersion, deletionTimestamp } = found.metadata;
    const of = `${uid} ${resourceVersion}`;
    const isDeleted = deletionTimestamp !== undefined;
    if (before?.of === of) return { isDeleted, missing: before.missing };
    // The metadata shows another version, so the result belongs to the version of the second read.
    if (before) {
      known.delete(kind.plural);
      return readWhole(kind);
    }
    return { isDeleted, missing: keep(kind.plural, of, () => missingFields(kind, schemaIn(found.spec))) };
  }

  /**
   * Reads the published schema, which every authenticated user may read. The API server publishes a change after about
   * a second.
   */
  async function readPublished(kind: Kind): Promise<Definition> {
    const index = (await kube.raw("/openapi/v3")) as { paths?: Record<string, { serverRelativeURL?: string }> };
    const url = index.paths?.[`apis/${group}/${version}`]?.serverRelativeURL;
    if (url === undefined) return { isDeleted: undefined, missing: [] };
    const before = known.get(kind.plural);
    if (before?.of === url) return { isDeleted: undefined, missing: before.missing };
    const { value } = await fresh.share(url, { answered: -Infinity, begun: -Infinity }, () => kube.raw(url));
    const missing = () => missingFields(kind, publishedIn(value, kind));
    return { isDeleted: undefined, missing: keep(kind.plural, url, missing) };
  }

  async function look(kind: Kind): Promise<Definition> {
    if (isNamespaced) return readPublished(kind);
    try {
      return await readWhole(kind);
    } catch (error) {
      if (!isKubeError(error) || error.status !== 403) throw error;
      return readPublished(kind);
    }
  }

  return {
    read: async (kind, since) => (await fresh.share(`definition ${kind.plural}`, since, () => look(kind))).value,
  };
}

/**
 * Throws `Stalled` if the API server serves a definition without a field that holds or protects objects. Throws `KubeError`.
 * `since`: limits for earlier reads.
 */
export async function requireDefinition(ctx: Requiring, kind: Kind, since: Since): Promise<void> {
  refuseIncomplete(kind, await ctx.environment.definitions.read(kind, since));
}

interface Requiring {
  environment: Pick<Environment, "definitions">;
}

/** Returns true if the definition is being deleted, and all its objects with the definition. Throws as `requireDefinition` does. */
export async function isDefinitionDeleted(ctx: Context): Promise<boolean> {
  const { environment, kind, startedAt } = ctx;
  // An earlier read may show the fields that the API server dropped since.
  const definition = await environment.definitions.read(kind, { answered: Infinity, begun: startedAt });
  if (definition.isDeleted ?? (await isWithdrawn(ctx))) return true;
  refuseIncomplete(kind, definition);
  return false;
}

function refuseIncomplete(kind: Kind, { missing: [field] }: Definition): void {
  if (field === undefined) return;
  const what = `the CustomResourceDefinition ${definitionName(kind)} has no field ${field}: the definition is older than this operator`;
  const why = "The API server drops the field from all objects, so the operator changes and deletes nothing";
  throw new Stalled(
    "OutdatedDefinition",
    `${what}. ${why}. Apply the definitions of the operator's version`,
    times.again,
  );
}

/**
 * Without the permission to read definitions, discovery shows a deletion: no new objects of the definition can be created.
 * Discovery shows the deletion later than the objects do. The operator waits for discovery first.
 */
async function isWithdrawn({ environment, kind, object }: Context): Promise<boolean> {
  const leftMs = times.short - environment.memory.deletingMs(object.metadata.uid, environment.clock.now());
  if (leftMs > 0)
    throw new Waiting("Deleting", "checking whether its CustomResourceDefinition is being deleted", leftMs);
  const { resources = [] } = (await environment.kube.raw(`/apis/${group}/${version}`)) as {
    resources?: { name: string; verbs: string[] }[];
  };
  return !resources.some(({ name, verbs }) => name === kind.plural && verbs.includes("create"));
}

function definitionName({ plural }: Kind): string {
  return `${plural}.${group}`;
}

function schemaIn(spec: unknown): Served | undefined {
  const { versions = [] } = (spec ?? {}) as { versions?: { name: string; schema?: { openAPIV3Schema?: Served } }[] };
  return versions.find(({ name }) => name === version)?.schema?.openAPIV3Schema;
}

interface Published extends Served {
  "x-kubernetes-group-version-kind"?: { group: string; version: string; kind: string }[];
}

function publishedIn(document: unknown, { kind }: Kind): Served | undefined {
  const { components } = document as { components?: { schemas?: Record<string, Published> } };
  return Object.values(components?.schemas ?? {}).find((schema) =>
    schema["x-kubernetes-group-version-kind"]?.some(
      (of) => of.group === group && of.version === version && of.kind === kind,
    ),
  );
}

const definitions = {
  group: "apiextensions.k8s.io",
  version: "v1",
  plural: "customresourcedefinitions",
  kind: "CustomResourceDefinition",
  namespaced: false,
};
