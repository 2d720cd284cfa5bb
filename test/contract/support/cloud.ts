import { isDeepStrictEqual } from "node:util";
import type { Json, JsonObject } from "../../../src/api/types.ts";
import type { Request } from "../../../src/core/kind/call.ts";
import { identity, isChangeable, naturalKey, shownIn } from "../../../src/core/kind/fields.ts";
import { eventually } from "./stage.ts";
import { nothingKnown } from "./wanted.ts";
import type { Stage } from "./stage.ts";

/** Where the simulator keeps what the API has no request to delete. */
const tables: Record<string, string> = { BetaEnrollment: "enrollment" };

/** Another client deletes the cloud object; resolves when the cloud no longer has it. */
export async function vanish(stage: Stage, id: string): Promise<void> {
  const { kind } = stage;
  // No client can: it is what the service itself might do.
  if (kind.stays !== undefined) return void stage.world.simulator.control.remove(tables[kind.kind] ?? "", id);
  const row = (await stage.row(id)) ?? {};
  const wire = kind.wire.parse(row) as JsonObject;
  const live = {
    ...(await stage.wanted()),
    id,
    wire,
    list: (await stage.collection()).path,
    applied: undefined,
    digest: () => "",
    ...nothingKnown,
  };
  const removal = { method: "DELETE" as const, path: (await stage.collection()).itemPath(id) };
  await sendAsStranger(stage, kind.verbs?.remove?.(live) ?? removal);
  await eventually(async () => {
    if (await stage.row(id)) throw new Error(`${id} is still in the cloud`);
  });
}

/** What the operator asked for shows up, with its tag: later than anybody would have waited for. Answers its id. */
export async function applyLate(stage: Stage): Promise<string> {
  const { body = {}, ...creation } = await stage.creation();
  const tags = "tags" in stage.kind.fields ? { tags: [...((body["tags"] ?? []) as Json[]), "cpo-test"] } : {};
  return made(stage, { ...creation, body: { ...body, ...tags } });
}

/** Another client makes exactly what the example, or this spec, wants; answers its id. */
export async function makeTheSame(stage: Stage, spec?: Record<string, unknown>): Promise<string> {
  return made(stage, await stage.creation(spec));
}

/** Another client sends it, and carries out what its answer hands out a URL for; then what came of it. */
export async function sendAsStranger(stage: Stage, request: Request): Promise<Json> {
  const { method, path, body, beta = false } = request;
  const answer = await stage.world.stranger.send(method, path, body, { beta });
  const delivery = stage.kind.delivery?.(request, await stage.wanted());
  if (!delivery) return answer;
  const { url = "" } = answer as { url?: string };
  const { contentType, content } = delivery;
  const sent = await fetch(url, {
    method: delivery.method,
    ...(contentType !== undefined && { headers: { "content-type": contentType } }),
    ...(content && { body: Buffer.from(content) }),
  });
  if (!sent.ok) throw new Error(`${delivery.method} to a pre-signed URL answered ${sent.status}`);
  return (await stage.world.stranger.get((await stage.collection()).path)) ?? {};
}

export interface Trap {
  id: string;
  row: JsonObject;
}

/** Kinds of which another client's is almost the same when it is another instance's; the field that names the instance. */
const nearMatches: Record<string, (instance: JsonObject) => JsonObject> = {
  IPAddress: ({ id }) => ({ compute_id: id ?? null }),
  IPv6Range: ({ ipv6 }) => ({ route_target: typeof ipv6 === "string" ? (ipv6.split("/")[0] ?? "") : "" }),
};

/** Kinds whose key is one of a few words that the cloud knows; another one of them. */
const otherWords: Record<string, string> = { BetaEnrollment: "one-place" };

/** Another client makes almost the same: one field of the natural key differs. */
export async function makeTrap(stage: Stage): Promise<Trap> {
  const { method, path, body = {} } = await stage.creation();
  const other = nearMatches[stage.kind.kind];
  if (other) {
    const elsewhere = { region: "us-west", type: "g6-standard-1" };
    const instance = (await stage.world.stranger.send("POST", "/compute/instances", elsewhere)) as JsonObject;
    return trapOf(stage, { method, path, body: { ...body, ...other(instance) } });
  }
  const key = naturalKey(stage.kind, await stage.wanted());
  const refusals: string[] = [];
  for (const field of Object.keys(key)) {
    if (typeof body[field] !== "string") continue;
    try {
      const almost = { ...body, [field]: otherWords[stage.kind.kind] ?? `${body[field]}x` };
      return await trapOf(stage, { method, path, body: almost });
    } catch (error) {
      refusals.push(String(error));
    }
  }
  throw new Error(`no near match of ${stage.title} can be made: ${refusals.join("; ")}`);
}

/** Another client makes one with the same natural key and another fixed field, such as the size; undefined where no change is of that sort. */
export async function makeNamesake(stage: Stage): Promise<Trap | undefined> {
  const { kind, example } = stage;
  const own = await stage.wanted();
  for (const change of Object.values(example.changes ?? {})) {
    const spec = { ...example.spec, ...change };
    const other = await stage.wanted(spec);
    if (!isDeepStrictEqual(naturalKey(kind, other), naturalKey(kind, own))) continue;
    if (isDeepStrictEqual(identity(kind, other), identity(kind, own))) continue;
    return trapOf(stage, await stage.creation(spec));
  }
  return undefined;
}

/** What can be changed of the trap and what names it, as it is now; undefined when it is gone. */
export async function lookAtTrap(stage: Stage, { id }: Pick<Trap, "id">): Promise<JsonObject | undefined> {
  const row = await stage.row(id);
  if (!row) return undefined;
  const { kind } = stage;
  const key = Object.keys(naturalKey(kind, await stage.wanted()));
  const changeable = Object.entries(kind.fields).flatMap(([field, one]) => (isChangeable(one) ? [[field, null]] : []));
  return {
    ...shownIn(kind, kind.wire.parse(row) as JsonObject, Object.fromEntries(changeable) as JsonObject),
    ...Object.fromEntries(key.map((field) => [field, row[field] ?? null])),
  };
}

async function trapOf(stage: Stage, request: Request): Promise<Trap> {
  const id = await made(stage, request);
  return { id, row: (await lookAtTrap(stage, { id })) ?? {} };
}

/** Another client creates something; answers its id. Where the response names nothing, it is what is listed besides. */
async function made(stage: Stage, request: Request): Promise<string> {
  const { idOf, project } = await stage.collection();
  const ids = async (): Promise<string[]> => (await stage.rows()).map((row) => idOf(project(row)));
  const before = stage.kind.answersNothing ? await ids() : [];
  const answer = await sendAsStranger(stage, request);
  if (!stage.kind.answersNothing) return idOf(project(answer as JsonObject));
  return eventually(async () => {
    const added = (await ids()).find((id) => !before.includes(id));
    if (added === undefined) throw new Error(`nothing was added to ${request.path}`);
    return added;
  });
}
