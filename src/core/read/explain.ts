/**
 * Explains a refusal of the cloud API in the words of the spec: the field, the value, and the nearest valid names in
 * the catalog. The operator reads a catalog only for a refused value.
 */
import type { UnreadableRow } from "../../observe/unreadable-row.ts";
import { nameOf } from "../kind/naming.ts";
import type { HttpError } from "../../api/errors.ts";
import type { Call } from "../kind/call.ts";
import { catalogs, nearest } from "../kind/catalog.ts";
import type { CatalogName } from "../kind/catalog.ts";
import { describeRequest, isHttpError, isUnreadableRow, unreadText, type Verdict } from "../kind/outcome.ts";
import { covers } from "../kind/scopes.ts";
import { specField, valueAt } from "../kind/spec-path.ts";
import type { SpecField } from "../kind/spec-path.ts";
import { leafAt } from "../model/names.ts";
import { withoutForeign } from "./foreign-names.ts";
import { grantsFor } from "./grants.ts";
import { mayName } from "./permitted.ts";
import { commandFor, isEntry, namesIn, regionsSelling } from "./catalog-reads.ts";
import type { Connected, Context, Located } from "../model/context.ts";
import { isConnected, isLocated } from "../model/context.ts";
import type { CloudName } from "../kind/leaf-class.ts";

type Explainable = Extract<Verdict, { message: string }>;

/**
 * Returns the verdict with a message for the user. The message contains only names that the namespace of the object may
 * use.
 */
export async function explained<V extends Verdict>(ctx: Context, error: unknown, verdict: V): Promise<V> {
  if (isUnreadableRow(error) && "message" in verdict) return { ...verdict, message: unreadMessage(ctx, error) };
  if (!isHttpError(error) || !("message" in verdict) || !isConnected(ctx)) return verdict;
  return { ...verdict, message: withoutForeign(ctx, await explainedText(ctx, error, verdict)) };
}

/** Names the unreadable cloud object, and the field in the words of the spec. */
function unreadMessage(ctx: Context, { id, path, reason }: UnreadableRow): string {
  const { collection } = ctx as Partial<Located>;
  const name = collection?.itemPath(id) === path ? nameOf(ctx.kind, id) : undefined;
  const [field = "", ...why] = reason.split(": ");
  const known = why.length > 0 ? specField(ctx.kind, field) : undefined;
  return unreadText({ reason: known ? `spec.${known.path}: ${why.join(": ")}` : reason }, name);
}

async function explainedText(
  ctx: Connected,
  error: HttpError,
  { state, reason, message }: Explainable,
): Promise<string> {
  if (reason === "Forbidden") return [message.replace(/\.$/, ""), ...lacking(ctx)].join(". ");
  if (reason !== "Refused") return message;
  const known = await refusalOf(ctx, error);
  return known ?? (state === "stalled" ? `${message}. ${refusalCure}` : message);
}

/** Returns true if a catalog proves that a refused value is wrong. Only a change of the spec can end such a refusal. */
export async function isWrongValue(ctx: Connected, { errors }: HttpError): Promise<boolean> {
  const all = await Promise.all(errors.map((one) => explain(ctx, one, false)));
  return all.some(({ isWrong }) => isWrong);
}

/** Returns the missing scope of the token, or the advice for a restricted user. */
function lacking({ environment, kind, session }: Connected): string[] {
  const heard = session.client.scopesHeard();
  const missing = environment.scopesOf(kind.kind).filter((scope) => !heard.some((granted) => covers(granted, scope)));
  const account = `CloudAccount ${session.account}`;
  if (heard.length > 0 && missing.length > 0)
    return [`The token of ${account} lacks the scope ${missing.join(", ")}`, "Use a token with the scope"];
  return session.restricted ? [`The user of ${account} is restricted. Add the grant for the request`] : [];
}

const refusalCure = "Remove the obstacle in the cloud, or change the spec. The operator retries with backoff";

/**
 * Returns the refusal with the fields of the spec and with hints. Returns undefined if the cloud API names no field,
 * and the path of the request leads to no field of the spec.
 */
export async function refusalOf(ctx: Connected, error: HttpError, call?: Call): Promise<string | undefined> {
  const { errors, status, path } = error;
  const by = `(the cloud API refused ${describeRequest(error)})`;
  const from = status === 404 && call ? (call.pathFrom ?? fieldIn(ctx, path)) : undefined;
  const missing = errors[0]?.reason.replace(/\.$/, "") ?? "Not found";
  if (from !== undefined) return `${withValue(ctx, { path: from })}${withoutForeign(ctx, missing)} ${by}`;
  if (errors.every(({ field }) => field === null)) return undefined;
  const reasons = await Promise.all(errors.map((one) => explain(ctx, one, errors.length === 1)));
  const what = reasons.map(({ text }) => text).join("; ");
  const hints = reasons.flatMap(({ hint }) => hint ?? []);
  return `${withoutForeign(ctx, [what, ...hints].join(". "))} ${by}`;
}

function fieldIn({ spec }: Connected, path: string): string | undefined {
  const ids = new Set<unknown>(path.split("/").filter((word) => /^\d+$/.test(word)));
  return Object.entries(spec).find(([, value]) => ids.has(value))?.[0];
}

interface Explained {
  text: string;
  hint?: string;
  /** A catalog proves that the value does not exist, or that the region of the spec does not offer the value. */
  isWrong?: boolean;
}

async function explain(
  ctx: Connected,
  { field, reason }: HttpError["errors"][number],
  alone: boolean,
): Promise<Explained> {
  const { refs = {} } = isLocated(ctx) ? ctx.desired : {};
  const known = field === null ? undefined : specField(ctx.kind, field, { spec: ctx.spec, refs });
  const said = reason.replace(/\.$/, "");
  if (!known) return { text: field === null ? said : `${field}: ${said}` };
  const path = `spec.${known.path}`;
  const { catalog, sensitive } = known.marks;
  const value = sensitive ? undefined : valueAt(ctx.spec, known);
  const leaf = leafAt(ctx.kind, known.path);
  const name = leaf?.is === "cloudName" ? leaf : undefined;
  const listed = catalog && typeof value === "string" ? await namesIn(ctx, catalog) : [];
  const names = name ? listed.filter((one) => mayName(ctx, name, one)) : listed;
  if (catalog && typeof value === "string" && names.length > 0 && !(await isEntry(ctx, catalog, value, listed)))
    return {
      text: `${path}: ${JSON.stringify(value)} is not ${catalogs[catalog].one}`,
      hint: `${alone ? "Use" : `For ${path}, use`} one of: ${nearest(value, names).join(", ")}${wholeCatalog(ctx, catalog)}`,
      // A user can create a private image with this name in the same `kubectl apply`.
      isWrong: name === undefined || isPublic(name, value),
    };
  const selling = catalog === "ComputeType" ? await regionsSelling(ctx, value) : undefined;
  if (selling)
    return {
      text: `${path}: ${JSON.stringify(value)} is not available in ${selling.asked}`,
      isWrong: true,
      ...(selling.others.length > 0 && { hint: `It is available in: ${selling.others.join(", ")}` }),
    };
  // The reason can contain names of cloud objects of other namespaces.
  const isForeign = name !== undefined && !grantsFor(ctx).existing;
  return { text: `${withValue(ctx, known, sensitive)}${isForeign ? "the cloud API does not accept this name" : said}` };
}

/** Returns the end of a hint with the command for the whole catalog, or an empty text without a command. */
function wholeCatalog(ctx: Connected, catalog: CatalogName): string {
  const command = commandFor(ctx, catalog);
  return command === undefined ? "" : ` (all${catalog === "Image" ? " public images" : ""}: ${command})`;
}

/**
 * Returns true for a name that every namespace may use, such as the name of a public image. Users cannot create such
 * names.
 */
function isPublic({ open }: CloudName, value: string): boolean {
  return open !== undefined && new RegExp(open).test(value);
}

/** Returns a text such as `spec.region: "mars": `, without the value if the value is long or sensitive. */
function withValue({ spec }: Connected, field: Pick<SpecField, "path">, sensitive = false): string {
  const value = valueAt(spec, field);
  return `spec.${field.path}: ${!sensitive && isShort(value) ? `${JSON.stringify(value)}: ` : ""}`;
}

function isShort(value: unknown): boolean {
  return value !== undefined && typeof value !== "object" && JSON.stringify(value).length <= 100;
}
