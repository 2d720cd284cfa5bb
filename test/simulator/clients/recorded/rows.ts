import type * as z from "zod";
import { createBrand } from "../../../../src/api/brand.ts";
import type { Json } from "../../../../src/api/types.ts";
import { carriersIn } from "../../../../src/kinds/account/tag-objects.ts";
import { kinds, mirrors } from "../../../../src/kinds/registry.ts";
import { resourceOf } from "./catalogs.ts";
import { json } from "./interactions.ts";
import type { Recording } from "./interactions.ts";
import { isObject } from "./references.ts";

/** A recorded row that the operator cannot read. */
export interface Unreadable {
  readonly recording: string;
  readonly operation: string;
  readonly kind: string;
  readonly why: string;
}

/** By resource: the kinds that read its rows. */
const READERS: Readonly<Record<string, readonly string[]>> = {
  "/account/betas": ["BetaEnrollment"],
  "/betas": ["BetaProgram"],
  "/compute/instances": ["ComputeInstance"],
  "/compute/instances/{computeId}/configs": ["ComputeConfig"],
  "/compute/instances/{computeId}/disks": ["ComputeDisk"],
  "/compute/kernels": ["Kernel"],
  "/databases/engines": ["DatabaseEngine"],
  "/databases/mysql/instances": ["ManagedMySQL"],
  "/domains": ["Domain"],
  "/domains/{domainId}/records": ["DomainRecord"],
  "/images": ["Image"],
  "/networking/firewalls": ["Firewall"],
  "/networking/ips": ["IPAddress"],
  "/networking/ipv6/ranges": ["IPv6Range"],
  "/object-storage/buckets": ["Bucket"],
  "/object-storage/keys": ["ObjectStorageKey"],
  "/profile": ["Profile"],
  "/profile/security-questions": ["SecurityQuestions"],
  "/regions": ["Region"],
};

/** Other operations of the service that the recordings list under the pattern of a covered one. */
const OTHER_ROWS = /\/(sharegroups|settings|templates|rulesets|vpc-availability)\b/;

/** Reads every recorded row as the operator does, with the schemas of the kinds, and returns the rows that it cannot read. */
export function unreadableRows(recordings: readonly Recording[], brandWord: string): Unreadable[] {
  const brand = createBrand(brandWord);
  const schemas = new Map(
    [...kinds, ...mirrors].map((each) => [each.kind, "wire" in each ? (each.wire as z.ZodType) : undefined]),
  );
  return recordings.flatMap(({ name, interactions }) =>
    interactions.flatMap((interaction) => {
      const { operation, status, path } = interaction;
      if (status !== 200 || operation.startsWith("DELETE") || OTHER_ROWS.test(path)) return [];
      const answer = brand.fromWire(json(interaction.answer) as Json, path);
      const readers = READERS[resourceOf(interaction)] ?? [];
      const found = readers.flatMap((kind) =>
        rowsIn(answer).flatMap((row) => {
          const { error } = schemas.get(kind)?.safeParse(row) ?? {};
          return error
            ? [{ kind, why: error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`).join("; ") }]
            : [];
        }),
      );
      const tagged = resourceOf(interaction) === "/tags" && operation.startsWith("GET") ? unreadableTagged(answer) : [];
      return [...found, ...tagged].map(({ kind, why }) => ({ recording: name, operation, kind, why }));
    }),
  );
}

function rowsIn(answer: unknown): unknown[] {
  if (!isObject(answer)) return [];
  if (Array.isArray(answer["data"])) return answer["data"];
  if (isObject(answer["image"]) && "upload_to" in answer) return [answer["image"]];
  return Object.keys(answer).length === 0 ? [] : [answer];
}

function unreadableTagged(answer: unknown): { kind: string; why: string }[] {
  try {
    carriersIn(isObject(answer) ? (answer["data"] as Json) : null);
    return [];
  } catch (error) {
    return [{ kind: "Tag", why: String(error) }];
  }
}
