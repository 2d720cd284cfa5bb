/** Annotations and labels that the operator reads from its caches. A cache keeps no others. */
import type { Kept } from "../../cluster/shelf.ts";
import {
  approveAnnotation,
  createAnotherAnnotation,
  intentAnnotation,
  letGoAnnotation,
  retryCreateAnnotation,
  retryOperationAnnotation,
} from "../claim/intent.ts";
import { operatorAnnotation } from "../custody/finalizer.ts";
import { publishedLabel } from "../custody/secrets.ts";
import { mirrorLabel } from "../kind/mirror.ts";
import { approvedAnnotation } from "./permission.ts";

/** For objects of enabled kinds, and for CloudAccounts. */
export const keptOfObjects: Kept = {
  annotations: [
    approveAnnotation,
    approvedAnnotation,
    createAnotherAnnotation,
    intentAnnotation,
    letGoAnnotation,
    operatorAnnotation,
    retryCreateAnnotation,
    retryOperationAnnotation,
  ],
  labels: Object.keys(mirrorLabel),
};

/** For objects of disabled kinds. The signed journal entry shows which cloud object an object has. */
export const keptOfDisabled: Kept = { annotations: [intentAnnotation], labels: [] };

/** For Secrets and ConfigMaps. */
export const keptOfValues: Kept = { annotations: [], labels: [publishedLabel] };
