/**
 * Reads catalogs of the cloud, to explain a refusal and for prices. The operator reads each path at most once an hour for each
 * session, or after five minutes if the read failed.
 */
import * as z from "zod";
import type { Json } from "../../api/types.ts";
import { catalogs, type CatalogName } from "../kind/catalog.ts";
import { cloudAccountOf, endpointOf } from "../model/owners.ts";
import { isHttpError } from "../kind/outcome.ts";
import type { Session } from "../model/environment.ts";
import type { Connected } from "../model/context.ts";
import { times } from "../kind/times.ts";

/** Returns the names in a catalog; an empty list if the catalog cannot be read. */
export async function namesIn(ctx: Connected, catalog: CatalogName): Promise<string[]> {
  const rows = (await catalogRows(ctx, catalogs[catalog].path)) ?? [];
  return rows.flatMap((row) => namedSchema.safeParse(row).data?.id ?? []);
}

/**
 * Returns the command that lists the catalog, for messages. Returns undefined if no objects show the catalog of this
 * account: the objects show the endpoint `default`.
 */
export function commandFor({ environment, object }: Connected, catalog: CatalogName): string | undefined {
  if (endpointOf(cloudAccountOf(environment, object)) !== "default") return undefined;
  const mirrors = [...(environment.catalogs?.mirrors.values() ?? [])];
  const [shortName] = mirrors.find(({ path }) => path === catalogs[catalog].path)?.shortNames ?? [];
  return shortName && `kubectl get ${shortName}`;
}

/** Returns the rows of a catalog; undefined if the catalog cannot be read. All objects of a session share the rows. */
export async function catalogRows(ctx: Connected, path: string): Promise<Json[] | undefined> {
  return kept(ctx, path, () => ctx.session.client.list(path).then(({ rows }): Json[] => rows)).catch(() => undefined);
}

/**
 * Returns true if the catalog has the value. The list can lack a new or discontinued entry, so only a 404 to the path
 * of the entry proves a wrong value.
 */
export async function isEntry(ctx: Connected, catalog: CatalogName, value: string, names: string[]): Promise<boolean> {
  if (names.includes(value)) return true;
  const path = `${catalogs[catalog].path}/${value.split("/").map(encodeURIComponent).join("/")}`;
  return kept(ctx, path, () =>
    ctx.session.client.get(path).then(
      () => true,
      (error: unknown) => !isHttpError(error) || error.status !== 404,
    ),
  );
}

/**
 * Returns the regions that offer a plan, if the region of the spec does not offer the plan; otherwise undefined. The
 * cloud API lists only plans that are limited to some regions.
 */
export async function regionsSelling(
  ctx: Connected,
  plan: unknown,
): Promise<{ asked: string; others: string[] } | undefined> {
  const { region: asked } = ctx.spec as { region?: unknown };
  if (typeof asked !== "string") return undefined;
  const { client } = ctx.session;
  const own = `/regions/${encodeURIComponent(asked)}/availability`;
  const here = offersIn(await kept(ctx, own, () => client.get(own)).catch(() => undefined));
  if (!here.some((offer) => offer.plan === plan && !offer.available)) return undefined;
  const all = "/regions/availability";
  const everywhere = offersIn(
    await kept(ctx, all, () => client.list(all).then(({ rows }) => rows)).catch(() => undefined),
  );
  const others = everywhere.filter((offer) => offer.plan === plan && offer.available).map(({ region }) => region);
  return { asked, others: others.toSorted() };
}

const namedSchema = z.object({ id: z.string() });
const offer = z.object({ region: z.string(), plan: z.string(), available: z.boolean() });

function offersIn(rows: Json | undefined): z.output<typeof offer>[] {
  return (Array.isArray(rows) ? rows : []).flatMap((row) => offer.safeParse(row).data ?? []);
}

const answers = new WeakMap<Session, Map<string, { until: number; answer: Promise<unknown> }>>();

/** Keeps an answer for an hour, and a failure for five minutes. */
function kept<T>({ session, environment: { clock } }: Connected, path: string, read: () => Promise<T>): Promise<T> {
  const own = answers.get(session) ?? new Map<string, { until: number; answer: Promise<unknown> }>();
  answers.set(session, own);
  const known = own.get(path);
  if (known && known.until > clock.now()) return known.answer as Promise<T>;
  const answer = read();
  const entry = { until: clock.now() + times.hour, answer };
  own.set(path, entry);
  answer.catch(() => {
    entry.until = clock.now() + times.longest;
  });
  return answer;
}
