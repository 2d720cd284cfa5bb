/** The outcome of the last DELETE request of an object, as far as this process knows it. */

/** The memory of an object. */
interface DeletionMemory {
  deletion?: Deletion | undefined;
}

export interface Deletion {
  /** ID of the cloud object. */
  id: string;
  /**
   * - `prepared`: the record can name the ID, and no request left.
   * - `accepted`, `refused`: the response of the cloud API.
   * - `unknown`: the request got no clear response.
   */
  state: "prepared" | "accepted" | "unknown" | "refused";
  /** Time of the last accepted DELETE, clock milliseconds; undefined before. */
  acceptedAt?: number;
  /** Number of accepted DELETE requests. */
  times: number;
}

/** Records an outcome. An accepted DELETE stays known: the cloud API can refuse a second DELETE of the same ID. */
export function noteDeletion(remembered: DeletionMemory, id: string, state: Deletion["state"], at?: number): void {
  const before = remembered.deletion?.id === id ? remembered.deletion : undefined;
  const times = (before?.times ?? 0) + (at === undefined ? 0 : 1);
  const acceptedAt = at ?? before?.acceptedAt;
  remembered.deletion = { id, state, times, ...(acceptedAt !== undefined && { acceptedAt }) };
}

/** Returns the ID of the last accepted DELETE. A later 404 is no missing permission. */
export function deletedID({ deletion }: DeletionMemory): string | undefined {
  return deletion?.acceptedAt === undefined ? undefined : deletion.id;
}

/** Returns the time of the accepted DELETE of the ID, clock milliseconds; undefined without one. */
export function deletedAt({ deletion }: DeletionMemory, id: string): number | undefined {
  return deletion?.id === id ? deletion.acceptedAt : undefined;
}

/** Returns true if a DELETE of the ID got no clear response. A later 404 is no missing permission either. */
export function isAskedToDelete({ deletion }: DeletionMemory, id: string): boolean {
  return deletion?.id === id && deletion.state === "unknown";
}

/** Forgets a DELETE without a clear response, after a later response. */
export function forgetAsked(remembered: DeletionMemory, id: string): void {
  if (!isAskedToDelete(remembered, id)) return;
  const { deletion } = remembered;
  remembered.deletion = deletion?.acceptedAt === undefined ? undefined : { ...deletion, state: "accepted" };
}

/** Returns true if the cloud certainly did not delete the ID, although the record may still name the ID. */
export function isUndeleted({ deletion }: DeletionMemory, id: string | undefined): boolean {
  return (
    deletion !== undefined && deletion.id === id && (deletion.state === "prepared" || deletion.state === "refused")
  );
}

/** Forgets the deletion of an earlier cloud object with the same ID, because the cloud reused the ID. */
export function forgetDeletion(remembered: DeletionMemory, id: string): void {
  const { deletion } = remembered;
  if (deletion?.id !== id) return;
  // A record that names the ID can still be stored.
  remembered.deletion = isUndeleted(remembered, id) ? { id, state: deletion.state, times: 0 } : undefined;
}
