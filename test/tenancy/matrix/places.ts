/** Namespaces of the matrix, and the lists of `spec.sharing` that contain each namespace. */
export type Grant = "namespaces" | "existing" | "accountWide";

export interface Place {
  namespace: string;
  grants: readonly Grant[];
}

/** `owner` has the CloudAccount. `shared` and `foreign` are the tenants of the threat model. */
export const places = {
  owner: { namespace: "shop", grants: [] },
  shared: { namespace: "team-b", grants: ["namespaces"] },
  foreign: { namespace: "team-c", grants: [] },
  existing: { namespace: "team-d", grants: ["namespaces", "existing"] },
  accountWide: { namespace: "team-e", grants: ["namespaces", "accountWide"] },
} as const satisfies Record<string, Place>;

export type PlaceName = keyof typeof places;

const allGrants: readonly Grant[] = ["namespaces", "existing", "accountWide"];

/** Returns `spec.sharing` of the account. `generous`: every namespace has every grant. */
export function sharingWith({ generous }: { generous: boolean }): Record<Grant, string[]> {
  const tenants: Place[] = Object.values(places).filter((one) => one !== places.owner);
  const listed = (grant: Grant) =>
    tenants.filter(({ grants }) => generous || grants.includes(grant)).map(({ namespace }) => namespace);
  return Object.fromEntries(allGrants.map((grant) => [grant, listed(grant)])) as Record<Grant, string[]>;
}
