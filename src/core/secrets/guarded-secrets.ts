/**
 * Layer `core/secrets`: the Secrets that custom resources name, and the Secrets that the operator keeps for them. No field makes the
 * operator use credentials of the operator. The layer imports `core/store` and lower layers.
 *
 * No other layer of the core holds the store of Secrets. Kinds, steps and phases of the flow read a Secret through
 * `UsableSecrets`, which refuses credentials. A CloudAccount reads the token through `TokenSecrets`.
 */
import type { Cache, KubeObject, ObjectRef, Secret, SecretStore } from "../../cluster/types.ts";
import type { AccountSpec } from "../kind/account-spec.ts";
import { Stalled } from "../kind/outcome.ts";
import { finalizer } from "../kind/resource.ts";

/** Marks a Secret with a present or former token of a CloudAccount. Only a user removes the annotation. */
export const credentialAnnotation = "cloudplatform.dev/credential";

/** Secrets for the fields of all kinds. */
export interface UsableSecrets extends Pick<SecretStore, "write" | "rehearse" | "remove" | "disown"> {
  /**
   * Reads a named or published Secret. `field`: path of the field, for the message.
   *
   * @throws Stalled with the reason `InvalidSpec` if the Secret is a credential; KubeError
   */
  read: (ref: ObjectRef, field?: string) => Promise<Secret | undefined>;
  /** Reads metadata for a deletion. Refuses no Secret. */
  metadata: (ref: ObjectRef) => Promise<KubeObject | undefined>;
}

/** Secrets with tokens, for CloudAccounts alone. */
export interface TokenSecrets {
  /** @throws Stalled with the reason `InvalidSpec` if the Secret holds another credential; KubeError */
  read: (ref: ObjectRef) => Promise<Secret | undefined>;
  /** Adds finalizer and mark. Returns the Secret after the write, `undefined` if the Secret does not exist. */
  hold: (ref: ObjectRef) => Promise<Secret | undefined>;
  /** Removes the finalizer. The mark stays, because the cloud can still accept a former token. */
  release: (ref: ObjectRef) => Promise<void>;
}

interface GuardOptions {
  store: SecretStore;
  accounts: Pick<Cache, "list">;
  /** The Secret with the key of this installation; undefined if the operator does not know it. */
  installationKey: ObjectRef | undefined;
}

/** Returns two views on the store. Both read a Secret by GET each time: a new mark counts immediately. */
export function guardSecrets(options: GuardOptions): { secrets: UsableSecrets; tokens: TokenSecrets } {
  const { store } = options;
  const read = async (ref: ObjectRef, field: string | undefined, refusal: (secret: Secret) => string | undefined) => {
    const secret = await store.read(ref);
    const why = secret && refusal(secret);
    if (why === undefined) return secret;
    throw new Stalled("InvalidSpec", field === undefined ? why : `${field}: ${why}`);
  };
  return {
    secrets: {
      ...store,
      read: (ref, field) => read(ref, field, (secret) => foreignUse(options, secret) ?? tokenUse(options, secret)),
      metadata: (ref) => store.read(ref),
    },
    tokens: {
      read: (ref) => read(ref, "spec.tokenSecretRef", (secret) => foreignUse(options, secret)),
      hold: (ref) => store.addFinalizer(ref, finalizer, { [credentialAnnotation]: "token" }),
      release: (ref) => store.removeFinalizer(ref, finalizer),
    },
  };
}

/** Tests for the marks of `hold`. */
export function isHeldToken({ metadata: { finalizers, annotations } }: KubeObject): boolean {
  return finalizers?.includes(finalizer) === true && annotations?.[credentialAnnotation] !== undefined;
}

/** Types of credentials of Kubernetes and Helm. A release of Helm contains the Secrets of a chart. */
const foreignTypes = new Set([
  "kubernetes.io/service-account-token",
  "bootstrap.kubernetes.io/token",
  "helm.sh/release.v1",
]);

function foreignUse({ installationKey }: GuardOptions, { metadata, type = "Opaque" }: Secret): string | undefined {
  const { namespace, name, labels } = metadata;
  if (foreignTypes.has(type))
    return `Secret ${name} has the type ${type}. The operator uses no Secret of this type. ${otherSecret}`;
  const isOwn = installationKey?.name === name && installationKey.namespace === namespace;
  // Another shard of the cluster labels its key in the same way.
  const isLabelled = labels?.["app.kubernetes.io/component"] === "installation-key";
  return isOwn || isLabelled
    ? `Secret ${name} holds the installation key. The operator uses it for nothing else. ${otherSecret}`
    : undefined;
}

function tokenUse({ accounts }: GuardOptions, { metadata }: Secret): string | undefined {
  const { namespace, name, annotations, finalizers } = metadata;
  const user = accounts
    .list(namespace)
    .find(({ spec }) => (spec as AccountSpec | undefined)?.tokenSecretRef?.name === name);
  const only = `The operator uses it for nothing else. ${otherSecret}`;
  if (user) return `Secret ${name} holds the token of CloudAccount ${user.metadata.name}. ${only}`;
  if (annotations?.[credentialAnnotation] === undefined && !finalizers?.includes(finalizer)) return undefined;
  const unmark = `If no token in this Secret is valid, remove the annotation ${credentialAnnotation} from the Secret`;
  return `Secret ${name} held the token of a CloudAccount. ${only}. ${unmark}`;
}

const otherSecret = "Name another Secret";
