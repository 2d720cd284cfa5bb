/** Determines the possible reasons in the conditions of a kind, from shape and definition. */
import type { Described } from "../core/kind/described.ts";
import type { Kind } from "../core/kind/owned.ts";
import { reasonDocs } from "../core/kind/reasons.ts";
import type { Reason } from "../core/kind/reasons.ts";

type Part = Partial<Pick<Kind, "shape" | "references" | "secret" | "superseded" | "upload">>;
type Test = (kind: Described & Part) => boolean;

const shapes =
  (...wanted: (Kind["shape"] | "mirror" | undefined)[]): Test =>
  ({ shape }) =>
    wanted.includes(shape);
const account = shapes(undefined);
const objects = shapes("owned", "setting", "once");
const kept = shapes("owned", "setting");
const once = shapes("once");
const reconciled = shapes("owned", "setting", "once", "survey");
const says =
  (field: string): Test =>
  ({ spec }) =>
    field in spec.shape;
const refers =
  (how: (reference: NonNullable<Part["references"]>[string]) => boolean): Test =>
  ({ references = {} }) =>
    Object.values(references).some(how);

/** Reasons that only some kinds have. Every kind except catalogs can have the remaining reasons. */
const only: Partial<Record<Reason, Test>> = {
  Ready: kept,
  Listed: shapes("mirror", "survey"),
  Connected: account,
  TokenMissing: account,
  TokenMalformed: account,
  TokenRejected: account,
  UnknownEndpoint: account,
  WrongBrandWord: account,
  Complete: once,
  Running: once,
  Expired: once,
  Superseded: (kind) => kind.superseded !== undefined,
  Failed: shapes("owned", "once"),
  CodeSent: says("codeSecretRef"),
  CodeRefused: says("codeSecretRef"),
  WaitingForUpload: (kind) => kind.upload !== undefined,
  DisruptionNotAllowed: says("allowDisruption"),
  SecretUnknown: (kind) => kind.secret?.ofCreation !== undefined,
  WaitingForReference: refers((one) => !("secret" in one) || one.in === "ConfigMap"),
  WaitingForParent: refers((one) => !("secret" in one) && one.contained === true),
  WaitingForSecret: refers((one) => "secret" in one && one.in !== "ConfigMap"),
  Creating: shapes("owned"),
  CreateUncertain: shapes("owned"),
  CreatedLate: shapes("owned"),
  AdoptionFailed: shapes("owned"),
  Provisioning: shapes("owned"),
  NotVisible: shapes("owned"),
  Missing: kept,
  Updating: kept,
  Drifted: kept,
  Observed: kept,
  Busy: objects,
  OperationUncertain: objects,
  Conflict: objects,
  Refused: objects,
  WaitingForApproval: objects,
  ReadOnly: objects,
  NotPermitted: objects,
  WaitingForDependents: shapes("owned", "setting", undefined),
  Deleting: shapes("owned", "setting", "once", undefined),
  PermissionsWithdrawn: shapes("owned", "setting", "once", undefined),
  Paused: reconciled,
  WaitingForAccount: reconciled,
  NotShared: reconciled,
};

const ofCatalogs: Reason[] = ["Listed", "Unreadable", "Conflict"];

export function reasonsOf(kind: Described & Part): Reason[] {
  const all = Object.keys(reasonDocs) as Reason[];
  if (kind.scope === "Cluster") return ofCatalogs;
  return all.filter((reason) => only[reason]?.(kind) ?? true);
}
