import { resourceOf } from "../../../../src/core/kind/resource.ts";
import type { Rule } from "../rule.ts";
import type { ApiServer } from "./side.ts";

const records = resourceOf({ kind: "DomainRecord", plural: "domainrecords" });

async function named(server: ApiServer, suffix: string, domainRef: object, management = {}): Promise<string> {
  const name = `${server.ref.name}-${suffix}`;
  const spec = { domainRef, type: "A", target: "192.0.2.1", management };
  await server.create(records, { metadata: { ...server.ref, name }, spec });
  return name;
}

async function found({ list, ref }: ApiServer, namespace: string | undefined, fields: Record<string, string>) {
  const objects = await list(records, { ...(namespace !== undefined && { namespace }), fields });
  const own = objects.filter(({ metadata }) => metadata.name.startsWith(ref.name));
  return own.map(({ metadata }) => metadata.name.slice(ref.name.length + 1)).sort();
}

/** Lists by the fields that the definitions declare as selectable. */
export const selectorRules: Rule<ApiServer>[] = [
  {
    rule: "a list by a selectable field shows the objects with that value, in one namespace or in all",
    why: "before a deletion the operator asks which objects refer to the cloud object",
    async run(server) {
      await named(server, "by-name", { name: "zone" });
      await named(server, "by-id", { id: "12" });
      const { namespace } = server.ref;
      return [
        await found(server, namespace, { "spec.domainRef.name": "zone" }),
        await found(server, undefined, { "spec.domainRef.id": "12" }),
        await found(server, "elsewhere", { "spec.domainRef.id": "12" }),
      ];
    },
    gives: [["by-name"], ["by-id"], []],
  },
  {
    rule: "an object without a selectable field has an empty value there",
    why: "two references of one object have fields of their own, and one of them can be missing",
    async run(server) {
      await named(server, "by-name", { name: "zone" });
      await named(server, "by-id", { id: "12" });
      return found(server, server.ref.namespace, { "spec.domainRef.id": "" });
    },
    gives: ["by-name"],
  },
  {
    rule: "a list by a selectable field shows a change that was just stored",
    why: "a watch can bring the change a minute later",
    async run(server) {
      const name = await named(server, "kept", { name: "zone" });
      const spec = { management: { protect: true } };
      await server.patch(records, { ...server.ref, name }, { spec });
      const objects = await server.list(records, {
        namespace: server.ref.namespace,
        fields: { "spec.domainRef.name": "zone" },
      });
      const kept = objects.filter(({ metadata }) => metadata.name === name);
      return kept.map(({ kind, spec: stored }) => [kind, stored?.["management"]]);
    },
    gives: [["DomainRecord", { protect: true }]],
  },
];
