/** Reads an account through a client that can only read. */
import { HttpError } from "../api/errors.ts";
import type { CloudClient, Json, JsonObject } from "../api/types.ts";
import { loads } from "../simulator/simulator.ts";
import type { Load, Read } from "../simulator/server/load.ts";

/** A client without a function that changes the cloud. */
export type ReadingClient = Pick<CloudClient, "get" | "list" | "scopes">;

/** The responses of an account, for a copy. */
export interface AccountReads {
  reads: Read[];
  /** Scopes of the token, separated by spaces. */
  scopes: string;
  /** Reads that failed. The copy has no rows of these reads. */
  failed: FailedRead[];
}

/** `from`: the path of the load, with parameters in braces. */
export interface FailedRead {
  from: string;
  path: string;
  why: string;
  status: number;
}

/** Reads per collection at the same time. */
const atOnce = 8;

/**
 * Reads all lists that a copy needs: first the lists of the account, then the lists below each row. Throws `HttpError` if the cloud
 * refuses the token, or does not answer: a copy without the rest of the account would be wrong.
 */
export async function readAccount(client: ReadingClient): Promise<AccountReads> {
  const read: AccountReads = { reads: [], scopes: "", failed: [] };
  const depth = ({ from, among }: Load): number => from.split("{").length + (among ? 1 : 0);
  const ordered = loads.toSorted((left, right) => depth(left) - depth(right));
  for (const load of ordered) {
    const places = placesOf(load, read.reads);
    const results: (Read | undefined)[] = [];
    const waiting = [...places.entries()];
    const work = async (): Promise<void> => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const [index, params] = next;
        results[index] = await readOne(client, load, params, read.failed);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, work));
    read.reads.push(...results.filter((one) => one !== undefined));
  }
  return { ...read, scopes: client.scopes().join(" ") || "*" };
}

type Params = Readonly<Record<string, string>>;

/** Returns the parameters for each read of a load. Rows of the parent path contain the parameters. */
function placesOf({ from, needs, among }: Load, reads: readonly Read[]): Params[] {
  const names = [...from.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  if (names.length === 0) return [{}];
  const parent = among?.from ?? from.slice(0, from.indexOf("/{"));
  const above = reads.filter((one) => one.from === parent);
  return above.flatMap(({ params, rows }) => {
    const given = among ? rows.flatMap((answer) => among.rows(answer as never)) : rows;
    const wanted = (given as JsonObject[]).filter((row) => needs?.(row) ?? true);
    return wanted.map((row) => Object.fromEntries(names.map((name) => [name, params[name] ?? parameterOf(row, name)])));
  });
}

/** A bucket of a newer region has no cluster. The place of such a bucket is its region. */
function parameterOf(row: JsonObject, name: string): string {
  const value = name === "place" ? row["cluster"] || row["region"] : (row[name] ?? row["id"]);
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

async function readOne(
  client: ReadingClient,
  { from, isSingle, beta }: Load,
  params: Params,
  failed: AccountReads["failed"],
): Promise<Read | undefined> {
  const path = from.replaceAll(/\{(\w+)\}/g, (_text, name: string) => encodeURIComponent(params[name] ?? ""));
  const options = beta ? { beta } : {};
  try {
    const rows = isSingle ? asRows(await client.get(path, options)) : (await client.list(path, options)).rows;
    return { from, params, rows };
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    const { status } = error;
    if (status === undefined || status === 401) throw error;
    failed.push({ from, path, status, why: error.errors[0]?.reason ?? error.what });
    return undefined;
  }
}

function asRows(answer: Json | undefined): JsonObject[] {
  return answer !== null && typeof answer === "object" && !Array.isArray(answer) ? [answer] : [];
}
