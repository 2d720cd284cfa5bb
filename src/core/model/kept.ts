/** Annotations and labels that the operator reads. The caches drop all further annotations and labels. */
import {
  approveAnnotation,
  approvedAnnotation,
  createAnotherAnnotation,
  journalAnnotation,
  orphanAnnotation,
  operatorAnnotation,
  publishedLabel,
  retryCreateAnnotation,
  retryOperationAnnotation,
} from "../kind/annotations.ts";
import type { Kept } from "../../cluster/shelf.ts";
import { mirrorLabel } from "../kind/mirror.ts";

/** For objects of enabled kinds, and for CloudAccounts. */
export const keptOfObjects: Kept = {
  annotations: [
    approveAnnotation,
    approvedAnnotation,
    createAnotherAnnotation,
    journalAnnotation,
    orphanAnnotation,
    operatorAnnotation,
    retryCreateAnnotation,
    retryOperationAnnotation,
  ],
  labels: Object.keys(mirrorLabel),
};

/** For objects of disabled kinds. The signed journal entry shows the cloud object. */
export const keptOfDisabled: Kept = { annotations: [journalAnnotation], labels: [] };

/** For Secrets and ConfigMaps. */
export const keptOfValues: Kept = { annotations: [], labels: [publishedLabel] };
