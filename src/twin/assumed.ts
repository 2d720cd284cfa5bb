/** Missing objects that the operator reads: CloudAccounts, Secrets and ConfigMaps. */
import { configMaps } from "../cluster/config-maps.ts";
import { keyOf } from "../cluster/paths.ts";
import { secrets } from "../cluster/secrets.ts";
import type { KubeObject } from "../cluster/types.ts";
import { secretFieldsOf } from "../generate/secret-fields.ts";
import type { Step } from "../generate/secret-fields.ts";
import { cloudAccount } from "../kinds/account/cloud-account.ts";
import { kinds } from "../kinds/registry.ts";
import { resources } from "./definitions.ts";
import type { Run } from "./run.ts";

/** The value of an assumed Secret. Accepted as a password and as an answer to a security question. */
const unknownValue = "Unknown-Value-1!";

const byName = new Map(kinds.map((kind) => [kind.kind, kind]));
const everybody = ["*"];

/** Adds the missing objects. Returns one line for each object. */
export function addAssumed(run: Run): string[] {
  const all = [...resources.values()].flatMap((resource) => run.objects.list(resource));
  const accounts = all.filter(({ kind }) => kind === cloudAccount.kind);
  accounts.forEach(run.addToken);
  const users = all.filter(({ kind }) => kind !== cloudAccount.kind);
  return [...users.flatMap((user) => addAccount(run, user)), ...users.flatMap((user) => addSecrets(run, user))];
}

function addAccount({ objects, addToken }: Run, { spec, metadata }: KubeObject): string[] {
  const { name = "default", namespace = metadata.namespace ?? "default" } = (spec?.["accountRef"] ?? {}) as {
    name?: string;
    namespace?: string;
  };
  const resource = resources.get(cloudAccount.kind);
  if (!resource || objects.get(resource, { namespace, name })) return [];
  const sharing = { namespaces: everybody, existing: everybody, accountWide: everybody };
  const isForeign = namespace !== metadata.namespace;
  const made = { tokenSecretRef: { name: `assumed-${name}` }, ...(isForeign && { sharing }) };
  addToken(objects.create(resource, { metadata: { namespace, name }, spec: made }));
  return [`CloudAccount ${namespace}/${name}`];
}

function addSecrets({ objects }: Run, object: KubeObject): string[] {
  const kind = byName.get(object.kind);
  const { namespace = "default" } = object.metadata;
  const read = (kind ? secretFieldsOf(kind) : []).filter(({ verb, content }) => verb === "get" && !content);
  return read.flatMap(({ steps, of }) => {
    const resource = of === "Secret" ? secrets : configMaps;
    return valuesAt({ spec: object.spec }, [{ member: "spec" }, ...steps]).flatMap(({ value, parent }) => {
      if (typeof value !== "string") return [];
      const ref = { namespace, name: value };
      const { key } = parent as { key?: string };
      const keys = key === undefined ? defaultKeys : [key];
      const data = Object.fromEntries(keys.map((one) => [one, unknownValue]));
      const found = objects.get(resource, ref);
      if (found && (found.metadata.annotations?.[mark] === undefined || key === undefined)) return [];
      const encoded = Object.fromEntries(Object.entries(data).map(([one, text]) => [one, base64(text)]));
      if (found) objects.patch(resource, ref, { data: encoded });
      else objects.create(resource, { metadata: { ...ref, annotations: { [mark]: "true" } }, data: encoded });
      return found ? [] : [`${of} ${keyOf(ref)}`];
    });
  });
}

/** Marks an assumed Secret, so that references to other keys can add them. */
const mark = "cloudplatform.dev/assumed";

/** The keys that references without a key read. */
const defaultKeys = ["password", "token", "userData", "user-data", "code", "answer", "content", "data", "value"];

interface Found {
  value: unknown;
  parent: unknown;
}

function valuesAt(from: unknown, [step, ...rest]: Step[], parent?: unknown): Found[] {
  if (!step) return from === undefined ? [] : [{ value: from, parent }];
  if ("most" in step) return Array.isArray(from) ? from.flatMap((one) => valuesAt(one, rest, from)) : [];
  const next = (from as Record<string, unknown> | undefined)?.[step.member];
  return next === undefined || next === null ? [] : valuesAt(next, rest, from);
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
