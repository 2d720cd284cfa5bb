import type { ConfigMap, ConfigMapStore, KubeClient, Resource } from "./types.ts";

export const configMaps: Resource = {
  group: "",
  version: "v1",
  plural: "configmaps",
  kind: "ConfigMap",
  namespaced: true,
};

/** ConfigMaps by GET, never from a cache. */
export function createConfigMapStore(client: Pick<KubeClient, "get">): ConfigMapStore {
  return {
    async read(ref) {
      const object = await client.get(configMaps, ref);
      if (object === undefined) return undefined;
      const { data = {}, binaryData = {} } = object as Partial<Record<"data" | "binaryData", Record<string, string>>>;
      const encoded = Object.entries(data).map(([key, text]): [string, string] => [
        key,
        Buffer.from(text).toString("base64"),
      ]);
      return { ...object, data, encoded: { ...binaryData, ...Object.fromEntries(encoded) } } satisfies ConfigMap;
    },
  };
}
