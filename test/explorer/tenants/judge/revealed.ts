/** Rules about texts that tenants read, and about bytes of Secrets. */
import type { LedgerEntry } from "../../../world/dispatcher.ts";
import type { Books, Held, SecretValue } from "../books.ts";
import { handWord, namespaceOf, tokenSecret, wordOf } from "../cast.ts";
import { authorOf, isOwn, numbered, objectAt, wasGranted, wishOf } from "./facts.ts";
import type { Rule, TenantFacts } from "./facts.ts";

export const revealed: { [name: string]: Rule } = {
  "a message names only objects of its own tenant": (facts) =>
    guarded(facts).flatMap((held) => {
      const { kind, namespace, name } = held;
      const written = JSON.stringify(held.specs);
      return textsOf(facts, held).flatMap(({ where, text }) => {
        const foreign = namesIn(text, namespace).find((one) => !written.includes(one));
        if (foreign === undefined) return [];
        const what = `${where} shows a name of ${ownerOf(foreign)}`;
        return [{ kind, what, detail: `${namespace}/${name}: ${foreign}: ${text}` }];
      });
    }),

  "a message contains only ids of its own tenant": (facts) =>
    guarded(facts).flatMap((held) => {
      const { kind, namespace, name } = held;
      const written = JSON.stringify(held.specs);
      return textsOf(facts, held).flatMap(({ where, text }) => {
        const id = idsIn(text).find((one) => isForeignID(facts, one, held, written));
        if (id === undefined) return [];
        return [
          { kind, what: `${where} shows the id of a foreign row`, detail: `${namespace}/${name}: ${id}: ${text}` },
        ];
      });
    }),

  "a foreign namespace cannot tell whether an account exists": ({ books, world, life }) => {
    const outside = books.objects.filter(
      (one) =>
        one.namespace === namespaceOf.outsider &&
        one.deletingAt === Infinity &&
        !wishOf(life, one)?.invalid &&
        !isPaused(one),
    );
    const isHere = world.cluster.get("CloudAccount", "default", namespaceOf.shop) !== undefined;
    const absent = outside.find(({ specs }) => accountNamed(specs[0]?.value) === "absent");
    const existing = outside.find(({ specs }) => accountNamed(specs[0]?.value) === "default");
    if (!absent || !existing || !isHere) return [];
    const [told, other] = [absent, existing].map(readyOf);
    if (told === undefined || other === undefined || told === other) return [];
    return [{ kind: existing.kind, what: "an object is told by its reason", detail: `${told} but ${other}` }];
  },

  "a request contains only Secrets of its author": (facts) => {
    const { books, world } = facts;
    return world.cloud.ledger().flatMap((entry) => {
      const sent = bytesIn(entry);
      if (sent === "") return [];
      return books.secrets
        .filter((secret) => isSecret(secret) && sent.includes(secret.value))
        .filter((secret) => !maySend(books, secret, entry))
        .slice(0, 1)
        .map((secret) => ({
          kind: authorOf(entry)?.kind ?? "none",
          what: `${entry.method} sends ${isToken(secret) ? "a token" : "a foreign Secret"}`,
          detail: `${numbered(entry)}: Secret ${secret.namespace}/${secret.name}`,
        }));
    });
  },

  "no status, event or log line contains a Secret": (facts) => {
    const { books, world } = facts;
    const values = books.secrets.filter(isSecret);
    const shows = (text: string) => values.find(({ value }) => text.includes(value) || text.includes(escaped(value)));
    const texts = [
      ...books.objects.flatMap((held) =>
        textsOf(facts, held).map((one) => ({ kind: held.kind, where: one.where, text: one.text })),
      ),
      ...world.lines().map((line) => ({ kind: "log", where: "log", text: `${line.message} ${readable(line.fields)}` })),
    ];
    return texts.flatMap(({ kind, where, text }) => {
      const secret = shows(text);
      return secret
        ? [{ kind, what: `${where} shows bytes of a Secret`, detail: `${secret.namespace}/${secret.name}` }]
        : [];
    });
  },
};

/** Returns the objects of tenants. The owner of the account must know the users of the account. */
function guarded({ books }: TenantFacts): Held[] {
  return books.objects.filter(
    ({ namespace }) => namespace !== namespaceOf.shop && !wasGranted(books, "existing", namespace),
  );
}

function isPaused({ object }: Held): boolean {
  const { management } = (object.spec ?? {}) as { management?: { policy?: string } };
  return management?.policy === "Paused";
}

interface Told {
  where: string;
  text: string;
}

/** Returns every status and every event of an object. */
function textsOf({ world }: TenantFacts, { kind, namespace, name, statuses }: Held): Told[] {
  const events = world.cluster.events().filter((event) => event.kind === kind && event.key === `${namespace}/${name}`);
  return [
    ...[...statuses].map((text) => ({ where: "a status", text })),
    ...[...new Set(events.map(({ note }) => note))].map((text) => ({ where: "an event", text })),
  ];
}

const words = [...Object.values(wordOf), handWord];

/** Returns the names from other places in a text. */
function namesIn(text: string, namespace: string): string[] {
  const [own] = Object.entries(namespaceOf).find(([, one]) => one === namespace) ?? [];
  const others = words.filter((word) => word !== wordOf[own as keyof typeof wordOf]);
  const names = others.flatMap((word) => text.match(new RegExp(`${word}[\\w-]*`, "g")) ?? []);
  return [...names, ...(text.match(/private\/\d+/g) ?? [])];
}

function ownerOf(name: string): string {
  const [place] = Object.entries(wordOf).find(([, word]) => name.startsWith(word)) ?? [];
  return place ?? "a row made by hand";
}

/** Returns the ids in a text. The world numbers rows from 1001 on. */
function idsIn(text: string): string[] {
  return text.match(/\b1[01]\d\d\b/g) ?? [];
}

function isForeignID(facts: TenantFacts, id: string, { namespace }: Held, written: string): boolean {
  if (written.includes(id)) return false;
  const rows = facts.world.cloud.history().filter((row) => row.id === id);
  return rows.length > 0 && rows.every((row) => !isOwn(facts, row, namespace) && !isInOwn(facts, row.path, namespace));
}

function isInOwn(facts: TenantFacts, path: string, namespace: string): boolean {
  return facts.world.cloud
    .history()
    .some((row) => path.startsWith(`${row.path}/${row.id}/`) && isOwn(facts, row, namespace));
}

function accountNamed(spec: Record<string, unknown> | undefined): string {
  return (spec?.["accountRef"] as { name?: string } | undefined)?.name ?? "default";
}

function readyOf({ object }: Held): string | undefined {
  const conditions = (object.status?.["conditions"] ?? []) as { type: string; reason: string }[];
  return conditions.find(({ type }) => type === "Ready")?.reason;
}

/** Returns the content of a request: body, decoded user data and decoded bytes. */
function bytesIn({ body, content }: LedgerEntry): string {
  const { metadata } = (body ?? {}) as { metadata?: { user_data?: string } };
  const encoded = [content, metadata?.user_data].filter((one) => one !== undefined);
  const decoded = encoded.map((one) => Buffer.from(one, "base64").toString());
  return [...(body ? [JSON.stringify(body)] : []), ...decoded].join("\n");
}

/** Returns false for hosts, ports and regions, which the operator also publishes in Secrets. */
function isSecret({ key, owners, value }: SecretValue): boolean {
  return value !== "" && (owners.length === 0 || /secret|password/i.test(key));
}

function isToken({ namespace, name }: SecretValue): boolean {
  return name === tokenSecret && namespace === namespaceOf.shop;
}

/** Returns true if the Secret is in the namespace of the author, and the author names or owns the Secret. */
function maySend(books: Books, secret: SecretValue, entry: LedgerEntry): boolean {
  const author = authorOf(entry);
  if (isToken(secret) || author?.namespace !== secret.namespace) return false;
  const specs = objectAt(books, author, entry.atMs)?.specs ?? [];
  return secret.owners.includes(entry.author ?? "") || JSON.stringify(specs).includes(`"${secret.name}"`);
}

function escaped(value: string): string {
  return Buffer.from(value).toString("base64");
}

function readable(fields: object): string {
  return JSON.stringify(fields, (_key, value: unknown) => (value instanceof Error ? value.message : value));
}
