/** What becomes of Secrets: those that people wrote, and those that the operator writes. */
import type { KubeObject } from "../../../src/cluster/types.ts";
import { secrets } from "../../../src/cluster/secrets.ts";
import { userData } from "../furnish.ts";
import type { Check } from "../invariants.ts";
import { alive, isCreation, isReady, managementOf } from "./facts.ts";

type Secret = KubeObject & { data?: { [key: string]: string } };

/** An operator reads a Secret before it creates; one that somebody made within this time may have come later. */
const lateMs = 30_000;

export const published: { [name: string]: Check } = {
  "the bytes of a Secret arrive as they were written": ({ world }) =>
    world.cloud
      .ledger()
      .filter(({ body = {} }) => {
        const sent = (body["metadata"] as { user_data?: string } | undefined)?.user_data;
        return sent !== undefined && sent !== userData.toString("base64");
      })
      .map(({ number, path }) => ({
        kind: "ComputeInstance",
        what: "other user data than the Secret holds",
        detail: `#${number} POST ${path}`,
      })),

  "nothing is made whose Secret cannot be written": ({ touches, records, world }) =>
    touches.filter(isCreation).flatMap(({ row, atMs, entry }) => {
      const makers = records.filter(
        ({ kind, ids }) =>
          // Of one that had the id before it was used again, this is not the database.
          kind === "ManagedMySQL" && row.path.startsWith("/databases/") && (ids.get(row.id) ?? -1) >= atMs,
      );
      return makers.flatMap(({ kind, object, specs }) => {
        const { spec } = specs.findLast((one) => one.atMs <= atMs) ?? {};
        const name = (spec?.["connectionSecretName"] as string | undefined) ?? `${object.metadata.name}-connection`;
        const taken: Secret | undefined = world.cluster.get("Secret", name, object.metadata.namespace);
        if (
          taken?.data?.["theirs"] === undefined ||
          sinceOf(taken) > world.clock.date().getTime() - (world.clock.now() - atMs) - lateMs
        )
          return [];
        return [
          { kind, what: "made, and the name of its Secret was taken", detail: `#${entry.number}: Secret ${name}` },
        ];
      });
    }),

  "what is published is there once, and others' Secrets stay": ({ world, records }) => {
    const all = world.cluster.objects.list(secrets) as Secret[];
    const changed = all.filter(({ data }) => data?.["theirs"] !== undefined && Object.keys(data).length > 1);
    const databases = alive(records).filter(
      ({ kind, object }) =>
        kind === "ManagedMySQL" && isReady(object) && (managementOf(object).policy ?? "Manage") === "Manage",
    );
    return [
      ...changed.map(({ metadata: { name } }) => ({
        kind: "Secret",
        what: "somebody else's was written",
        detail: name,
      })),
      ...databases.flatMap(({ kind, key, object }) => {
        const name =
          (object.spec as { connectionSecretName?: string }).connectionSecretName ??
          `${object.metadata.name}-connection`;
        const own = all.filter(({ metadata }) =>
          metadata.ownerReferences?.some(({ uid }) => uid === object.metadata.uid),
        );
        const names = own
          .filter(({ metadata }) => metadata.namespace === object.metadata.namespace)
          .map(({ metadata }) => metadata.name);
        if (names.length === 1 && names[0] === name) return [];
        return [
          {
            kind,
            what: names.length > 1 ? "its Secret is there twice" : "ready without its Secret",
            detail: `${key}: ${names.join()} instead of ${name}`,
          },
        ];
      }),
    ];
  },
};

function sinceOf({ metadata }: KubeObject): number {
  return Date.parse(metadata.creationTimestamp);
}
