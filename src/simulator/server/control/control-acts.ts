import { Readable } from "node:stream";
import type { FastifyRequest } from "fastify";
import * as z from "zod";
import { GLOBAL_GRANTS, GRANT_CATEGORIES } from "../auth/identity.ts";
import { ApiError, notFound } from "../errors.ts";
import { faultSchema } from "../faults/faults.ts";
import type { Fault } from "../faults/faults.ts";
import type { LedgerQuery } from "../ledger/ledger.ts";
import type { Dump } from "../store/store.ts";
import { checked, given } from "../wire.ts";
import { paramsOf } from "./area-control.ts";
import type { Act } from "./area-control.ts";
import type { Control } from "./control.ts";

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

/** Returns the HTTP routes for the functions of control.ts. */
export function controlActs(control: Control): Record<string, Act> {
  return {
    "GET /clock": () => ({ now: control.clock.now() }),
    "POST /clock": (body) => moveClock(control, checked(schemas.clock, body)),
    "GET /faults": () => control.faults.list(),
    "POST /faults": (body) => ({ id: control.faults.add(knownFault(control, body)) }),
    "DELETE /faults": () => control.faults.clear(),
    "DELETE /faults/:id": (_body, request) => found(control.faults.remove(Number(paramsOf(request)["id"]))),
    "GET /ledger": (_body, request) => {
      const { follow = false, ...query } = given(checked(schemas.ledger, request.query));
      return follow ? followed(control, query, request) : control.ledger(query);
    },
    "GET /operations": () => control.operations(),
    "DELETE /ledger": () => control.clearLedger(),
    "PUT /rate-limits": (body) => control.rateLimits.set(given(checked(schemas.rateLimits, body))),
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
      control.addToken({ token, username, ...given(rest) });
    },
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

/** Returns lines until the client disconnects or the simulator closes. */
function followed(control: Control, query: LedgerQuery, request: FastifyRequest): Readable {
  const gone = new AbortController();
  request.raw.socket.once("close", () => gone.abort());
  return Readable.from(control.followLedger(query, gone.signal));
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

function found(was: boolean): void {
  if (!was) throw notFound();
}
