import type { ConfigMap, ConfigMapStore, KubeClient, Resource } from "./types.ts";
import { valuesOf } from "./values.ts";

export const configMaps: Resource = {
  group: "",
  version: "v1",
  plural: "configmaps",
  kind: "ConfigMap",
  namespaced: true,
};

/** Creates the store. Reads ConfigMaps by GET, never from a cache. */
export function createConfigMapStore(client: Pick<KubeClient, "get">): ConfigMapStore {
  return {
    async read(ref) {
      const object = await client.get(configMaps, ref);
      if (object === undefined) return undefined;
      const { data = {}, binaryData = {} } = object as Partial<Record<"data" | "binaryData", Record<string, string>>>;
      const texts = Object.entries(data);
      const encoded = texts.map(([key, text]) => [key, Buffer.from(text).toString("base64")] as const);
      const all = [...Object.entries(binaryData), ...encoded];
      return { ...object, data: valuesOf(texts), encoded: valuesOf(all) } satisfies ConfigMap;
    },
  };
}
