/**
 * A refusal of the cloud API in the words of the spec: the field, its value, and the nearest valid names where the value is
 * from a catalog.
 *
 * A catalog is read only for what was refused, and at most once an hour for each account.
 */
import type { HttpError } from "../../api/errors.ts";
import { catalogs, nearest, type CatalogName } from "../kind/catalog.ts";
import { isHttpError, type Verdict } from "../kind/outcome.ts";
import { specField, valueAt } from "../kind/spec-path.ts";
import type { Session } from "./environment.ts";
import type { Connected, Reconciliation } from "./reconciliation.ts";

/** The verdict, with a message that people can act on where the cloud API refused values. */
export async function explained(at: Reconciliation, error: unknown, verdict: Verdict): Promise<Verdict> {
  if (!isHttpError(error) || !("message" in verdict) || verdict.reason !== "Refused" || !("session" in at))
    return verdict;
  return { ...verdict, message: (await refusalOf(at as Connected, error)) ?? verdict.message };
}

/** What was refused, what follows, and what to do; undefined where the cloud API names no field. */
export async function refusalOf(at: Connected, { errors, method, path }: HttpError): Promise<string | undefined> {
  if (errors.every(({ field }) => field === null)) return undefined;
  const reasons = await Promise.all(errors.map((one) => explain(at, one)));
  const hints = reasons.flatMap(({ hint }) => hint ?? []);
  const what = reasons.map(({ text }) => text).join("; ");
  return [`${what}. The cloud API refuses ${method} ${path}`, ...hints].join(". ");
}

interface Explained {
  text: string;
  hint?: string;
}

async function explain(at: Connected, { field, reason }: HttpError["errors"][number]): Promise<Explained> {
  const known = field === null ? undefined : specField(at.kind, field);
  const said = reason.replace(/\.$/, "");
  if (!known) return { text: field === null ? said : `${field}: ${said}` };
  const path = `spec.${known.path}`;
  const { catalog, sensitive } = known.marks;
  const value = sensitive ? undefined : valueAt(at.spec, known);
  const names = catalog && typeof value === "string" ? await namesIn(at, catalog) : [];
  if (catalog && typeof value === "string" && names.length > 0 && !names.includes(value))
    return {
      text: `${path}: ${JSON.stringify(value)} is not ${catalogs[catalog].one}`,
      hint: `For ${path}, use one of: ${nearest(value, names).join(", ")}`,
    };
  const shown = isShort(value) ? `${JSON.stringify(value)}: ` : "";
  return { text: `${path}: ${shown}${said}` };
}

function isShort(value: unknown): boolean {
  return value !== undefined && typeof value !== "object" && JSON.stringify(value).length <= 100;
}

const keptMs = 3_600_000;

const read = new WeakMap<Session, Map<CatalogName, { until: number; names: Promise<string[]> }>>();

/** The names in a catalog; none where it cannot be read. */
function namesIn({ session, environment: { clock } }: Connected, catalog: CatalogName): Promise<string[]> {
  const lists = read.get(session) ?? new Map<CatalogName, { until: number; names: Promise<string[]> }>();
  read.set(session, lists);
  const known = lists.get(catalog);
  if (known && known.until > clock.now()) return known.names;
  const names = session.client.list(catalogs[catalog].path).then(
    ({ rows }) => rows.flatMap(({ id }) => (typeof id === "string" ? [id] : [])),
    () => [],
  );
  lists.set(catalog, { until: clock.now() + keptMs, names });
  return names;
}
