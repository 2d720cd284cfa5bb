/** What becomes of Secrets: those that people wrote, and those that the operator writes. */
import type { KubeObject } from "../../../src/cluster/types.ts";
import { recordOf } from "../../world/record.ts";
import { conditionOf } from "../../world/world.ts";
import type { JsonObject } from "../../../src/api/types.ts";
import { secrets } from "../../../src/cluster/secrets.ts";
import { userData } from "../furnish.ts";
import type { Check } from "../invariants.ts";
import { palette } from "../palette.ts";
import type { Swatch } from "../palette.ts";
import { alive, isCreation, isReady, managementOf, rowOf } from "./facts.ts";

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
        ({ kind, ids, object }) =>
          // Of one that had the id before it was used again, this is not the database. Who observes makes nothing.
          kind === "ManagedMySQL" &&
          managementOf(object).policy !== "Observe" &&
          row.path.startsWith("/databases/") &&
          (ids.get(row.id) ?? -1) >= atMs,
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
    const publishers = alive(records).filter(
      ({ kind, object }) =>
        swatchOf(kind)?.secret && isReady(object) && (managementOf(object).policy ?? "Manage") === "Manage",
    );
    return [
      ...changed.map(({ metadata: { name } }) => ({
        kind: "Secret",
        what: "somebody else's was written",
        detail: name,
      })),
      ...publishers.flatMap(({ kind, key, object }) => {
        const swatch = swatchOf(kind);
        const row = rowOf(world, object);
        const spec = (object.spec ?? {}) as JsonObject;
        const name = swatch?.secret?.(spec, object.metadata.name);
        // The secret of a key that somebody else made, or an object that is gone, is known to nobody here.
        if (name === undefined || (swatch?.replaces && (row?.madeBy === undefined || isUnpublished(object)))) return [];
        const own = all.filter(({ metadata }) =>
          metadata.ownerReferences?.some(({ uid }) => uid === object.metadata.uid),
        );
        const names = own
          .filter(({ metadata }) => metadata.namespace === object.metadata.namespace)
          .map(({ metadata }) => metadata.name);
        const wrong = Object.entries((row && swatch?.holds?.(row.fields, spec)) ?? {}).filter(
          ([field, value]) => plain(own[0], field) !== value,
        );
        if (names.length === 1 && names[0] === name && wrong.length === 0) return [];
        return [
          {
            kind,
            what:
              names.length > 1
                ? "its Secret is there twice"
                : names[0] === name
                  ? "its Secret holds something else"
                  : "ready without its Secret",
            detail: `${key}: ${names.join()} instead of ${name}`,
          },
        ];
      }),
    ];
  },
};

/** It was adopted, and says that no Secret has what only its creation showed. */
function isUnpublished(object: KubeObject): boolean {
  return recordOf(object).adopted === true && conditionOf(object, "Unpublished")?.status === "True";
}

function swatchOf(kind: string): Swatch | undefined {
  return palette.find((one) => one.kind === kind);
}

function plain(secret: Secret | undefined, field: string): string {
  return Buffer.from(secret?.data?.[field] ?? "", "base64").toString();
}

function sinceOf({ metadata }: KubeObject): number {
  return Date.parse(metadata.creationTimestamp);
}
