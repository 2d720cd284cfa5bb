import { expect } from "vitest";
import type { KubeObject } from "../../../src/cluster/types.ts";
import type { AuditEntry } from "../../support/audit-log.ts";
import { idle } from "./stage.ts";
import type { Stage } from "./stage.ts";

/** The operator's writes of one object, and of the Secrets beside it, as the API server's audit log has them. */
export interface Writes {
  object: string[];
  secrets: string[];
}

/** Starts to count; the answer tells what was written since. */
export function countWrites({ world, kind, name }: Stage): () => Promise<Writes> {
  const since = new Date();
  return async () => {
    await idle(world);
    const entries = world.cluster
      .auditLog(since)
      .filter((entry) => isWriteOfOperator(entry) && entry.namespace === world.namespace);
    const ofResource = (plural: string): AuditEntry[] =>
      entries.filter(({ resource }) => resource.split("/")[0] === plural);
    return {
      object: ofResource(kind.plural)
        .filter((entry) => entry.name === name)
        .map(({ verb, resource }) => `${verb} ${resource}`),
      secrets: ofResource("secrets")
        .filter((entry) => entry.name !== "cloud-token")
        .map(({ verb, name: secret }) => `${verb} ${secret}`),
    };
  };
}

/** Nothing was written since: the status first, since a difference in it tells why it was written. */
export async function expectUnwritten(stage: Stage, before: KubeObject, writes: () => Promise<Writes>): Promise<void> {
  const written = await writes();
  const why = "the status when nothing changed: report must say the same of each row of the API";
  expect((await stage.object()).status, why).toEqual(before.status);
  expect(written).toEqual({ object: [], secrets: [] });
}

function isWriteOfOperator({ verb, userAgent, dryRun }: AuditEntry): boolean {
  const writes = !dryRun && ["create", "update", "patch", "delete"].includes(verb);
  return writes && userAgent.startsWith("cloud-platform-operator");
}
