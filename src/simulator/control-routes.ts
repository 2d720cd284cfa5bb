import { pipeline, Readable } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import * as z from "zod";
import type { Control } from "./control.ts";
import { remoteZoneSchema } from "./domains/remote-zones.ts";
import { ApiError, notFound } from "./errors.ts";
import { faultSchema } from "./faults.ts";
import type { Fault } from "./faults.ts";
import type { LedgerQuery } from "./ledger.ts";
import { registerPage } from "./page/routes.ts";
import type { Dump } from "./store.ts";
import { GLOBAL_GRANTS, GRANT_CATEGORIES } from "./tables/identity.ts";
import { checked, parseBody } from "./wire.ts";

const record = z.record(z.string(), z.unknown());
const account = z.string().optional();
const permission = z.enum(["read_only", "read_write"]);
const schemas = {
  clock: z.object({
    advanceMs: z.number().min(0).optional(),
    scale: z.number().positive().optional(),
    dateSkewSeconds: z.number().optional(),
  }),
  ids: z.object({ table: z.string(), next: z.int().min(1), account }),
  rateLimits: z.object({ enabled: z.boolean().optional(), scale: z.number().positive().optional() }),
  change: z.object({ table: z.string(), id: z.union([z.string(), z.number()]), fields: record, account }),
  remove: z.object({ table: z.string(), id: z.union([z.string(), z.number()]), account }),
  token: z.strictObject({
    token: z.string().min(1),
    username: z.string(),
    label: z.string().optional(),
    account,
    scopes: z.union([z.string(), z.array(z.string()).transform((scopes) => scopes.join(" "))]).optional(),
    clientId: z.string().optional(),
    revoked: z.boolean().optional(),
    expiry: z.number().nullable().optional(),
  }),
  ofUser: z.looseObject({ username: z.string() }),
  userChange: z.strictObject({
    account,
    restricted: z.boolean().optional(),
    grants: z
      .strictObject({
        account_access: permission.nullable().optional(),
        global: z.partialRecord(z.enum(GLOBAL_GRANTS), z.boolean()).optional(),
        entities: z.partialRecord(z.enum(GRANT_CATEGORIES), z.record(z.string(), permission)).optional(),
      })
      .optional(),
  }),
  user: z.object({ account: z.string(), user: z.looseObject({ username: z.string() }) }),
  volume: z.object({ label: z.string().optional(), region: z.string().optional(), compute_id: z.int().optional() }),
  nodeBalancer: z.object({ label: z.string().optional(), computes: z.array(z.int()).optional() }),
  account: z.looseObject({ id: z.string().min(1) }),
  ledger: z.object({
    account,
    token: z.string().optional(),
    method: z.string().optional(),
    path: z.string().optional(),
    operation: z.string().optional(),
    status: z.coerce.number().int().optional(),
    fault: z.string().optional(),
    sinceId: z.coerce.number().int().min(0).optional(),
    follow: z.stringbool().optional(),
    applied: z.stringbool().optional(),
    mutating: z.stringbool().optional(),
    limit: z.coerce.number().int().min(1).optional(),
  }),
};

type Act = (body: unknown, request: FastifyRequest) => unknown;

/** The control side over HTTP, under its own token: what control.ts offers, one path a verb. */
export function registerControl(app: FastifyInstance, control: Control, controlToken: string): void {
  for (const [route, act] of Object.entries(actsOf(control))) {
    const [method = "GET", url = ""] = route.split(" ");
    app.route({
      method,
      url: `/_simulator${url}`,
      handler: (request, reply) => answer(request, reply, act, controlToken),
    });
  }
  registerPage(app, control, controlToken);
}

function actsOf(control: Control): Record<string, Act> {
  return {
    "GET /clock": () => ({ now: control.clock.now() }),
    "POST /clock": (body) => moveClock(control, checked(schemas.clock, body)),
    "GET /faults": () => control.faults.list(),
    "POST /faults": (body) => ({ id: control.faults.add(knownFault(control, body)) }),
    "DELETE /faults": () => control.faults.clear(),
    "DELETE /faults/:id": (_body, request) => found(control.faults.remove(Number(paramsOf(request)["id"]))),
    "GET /ledger": (_body, request) => {
      const { follow = false, ...query } = defined(checked(schemas.ledger, request.query));
      return follow ? followed(control, query, request) : control.ledger(query);
    },
    "GET /operations": () => control.operations(),
    "DELETE /ledger": () => control.clearLedger(),
    "PUT /rate-limits": (body) => control.rateLimits.set(defined(checked(schemas.rateLimits, body))),
    "GET /rows/:table": (_body, request) => control.rows(paramsOf(request)["table"] ?? ""),
    "POST /change": (body) => {
      const { table, id, fields, account: owner } = checked(schemas.change, body);
      control.change(table, id, fields, owner);
    },
    "PUT /ids": (body) => {
      const { table, next, account: owner } = checked(schemas.ids, body);
      control.setNextId(table, next, owner);
    },
    "POST /remove": (body) => {
      const { table, id, account: owner } = checked(schemas.remove, body);
      found(control.remove(table, id, owner));
    },
    "POST /accounts": (body) => control.addAccount(checked(schemas.account, body)),
    "POST /users": (body) => {
      const { account: owner, user } = checked(schemas.user, body);
      control.addUser(owner, user);
    },
    "POST /users/:username": (body, request) => {
      const { account: owner, ...change } = checked(schemas.userChange, body);
      control.changeUser(paramsOf(request)["username"] ?? "", change, owner);
    },
    "POST /tokens": (body) => {
      const { token, username, ...rest } = checked(schemas.token, body);
      control.addToken({ token, username, ...defined(rest) });
    },
    "PUT /remote-zones": (body) => control.setRemoteZone(checked(remoteZoneSchema, body)),
    "POST /instances/:id/:event": (_body, request) => happen(control, paramsOf(request)),
    "POST /volumes": (body) => ({ id: control.compute.addVolume(defined(checked(schemas.volume, body))) }),
    "POST /nodebalancers": (body) => ({
      id: control.compute.addNodeBalancer(defined(checked(schemas.nodeBalancer, body))),
    }),
    "GET /sms": () => control.profile.sms(),
    "POST /apps": (body) => ({ id: control.profile.addApp(checked(schemas.ofUser, body)) }),
    "POST /devices": (body) => ({ id: control.profile.addDevice(checked(schemas.ofUser, body)) }),
    "GET /snapshot": () => control.snapshot(),
    "PUT /snapshot": (body) => control.restore(body as Dump),
    "POST /reset": () => control.reset(),
  };
}

function knownFault(control: Control, body: unknown): Fault {
  const fault = checked(faultSchema, body);
  if (fault.operation !== undefined && !control.operations().includes(fault.operation))
    throw new ApiError(400, [
      {
        reason: `No operation is called ${fault.operation}; GET /_simulator/operations names them`,
        field: "operation",
      },
    ]);
  return fault;
}

/** Lines until the client goes or the simulator ends. */
function followed(control: Control, query: LedgerQuery, request: FastifyRequest): Readable {
  const gone = new AbortController();
  request.raw.socket.once("close", () => gone.abort());
  return Readable.from(control.followLedger(query, gone.signal));
}

function happen({ compute }: Control, { id, event }: Record<string, string>): void {
  if (event === "power-off") compute.powerOff(Number(id));
  else if (event === "stop") compute.stop(Number(id));
  else if (event === "resume") compute.resume(Number(id));
  else throw notFound();
}

interface ClockChange {
  advanceMs?: number | undefined;
  scale?: number | undefined;
  dateSkewSeconds?: number | undefined;
}

function moveClock(control: Control, wanted: ClockChange): unknown {
  if (wanted.dateSkewSeconds !== undefined) control.clock.skewDate(wanted.dateSkewSeconds);
  if (wanted.scale !== undefined) control.clock.setScale(wanted.scale);
  if (wanted.advanceMs !== undefined) control.clock.advance(wanted.advanceMs);
  return { now: control.clock.now() };
}

function answer(request: FastifyRequest, reply: FastifyReply, act: Act, controlToken: string): FastifyReply {
  reply.header("Content-Type", "application/json");
  try {
    if (request.headers.authorization !== `Bearer ${controlToken}`)
      throw new ApiError(401, [{ reason: "The control side wants its own token" }]);
    const body = parseBody(typeof request.body === "string" ? request.body : "");
    const answered = act(body, request) ?? {};
    if (answered instanceof Readable) return stream(reply, answered);
    return reply.send(Buffer.from(JSON.stringify(answered)));
  } catch (error) {
    const status = error instanceof ApiError ? error.status : 400;
    const errors = error instanceof ApiError ? error.errors : [{ reason: (error as Error).message }];
    return reply.code(status).send(Buffer.from(JSON.stringify({ errors })));
  }
}

/** The head leaves at once, because the first line may be long in coming. */
function stream(reply: FastifyReply, lines: Readable): FastifyReply {
  reply.hijack();
  reply.raw.writeHead(200, { "Content-Type": "application/x-ndjson" }).flushHeaders();
  pipeline(lines, reply.raw, () => {});
  return reply;
}

function found(was: boolean): void {
  if (!was) throw notFound();
}

function paramsOf(request: FastifyRequest): Record<string, string> {
  return request.params as Record<string, string>;
}

/** Without the keys whose value is undefined. */
function defined<T extends object>(value: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined)) as never;
}
