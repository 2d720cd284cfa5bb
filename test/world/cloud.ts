/** The cloud as tests use it: its rows, its users, what goes wrong, and what it was asked. */
import type { JsonObject } from "../../src/api/types.ts";
import type { Clock } from "../../src/queue/clock.ts";
import { defaultGrowing } from "./collections.ts";
import { applyRequest } from "./dispatcher.ts";
import type { CloudOptions, LedgerEntry } from "./dispatcher.ts";
import { createFaults } from "./faults.ts";
import type { Fault } from "./faults.ts";
import { note } from "./events.ts";
import { createRows } from "./rows.ts";
import type { CloudRow } from "./rows.ts";
import { holderOf, ruleFor } from "./service.ts";
import type { ServiceSettings, User } from "./service.ts";

export interface Cloud {
  /** What the service shows at a path to a user; the first user if none is named. */
  rows: (path: string, user?: string) => JsonObject[];
  find: (path: string, id: string, user?: string) => CloudRow | undefined;
  /** Every row that ever was, with who made and who removed it. */
  history: () => CloudRow[];
  fault: (fault: Fault) => void;
  clearFaults: () => void;
  ledger: () => readonly LedgerEntry[];
  /** What the account's events tell, oldest first; a test may change it. */
  events: () => readonly JsonObject[];
  /** May be changed at any time. */
  settings: ServiceSettings & { dateAheadMs: number; latencyMs: number; scopes: string };
  /** Another token; of another real account unless one is named. */
  addUser: (user: Partial<User> & { token: string }) => User;
  user: (username: string) => User;
  /** One more token of a user. */
  addToken: (token: string, username: string) => void;
  /** The token is not accepted any more. */
  revoke: (token: string) => void;
  /** A request as process 1 of an operator would send it with the first user's token; the ledger has it, with `more`. */
  asOperator: (method: string, path: string, body?: JsonObject, more?: Partial<LedgerEntry>) => void;
  /** Behind the operator's back. */
  add: (path: string, fields: JsonObject, user?: string) => CloudRow;
  /** A person creates it with a token of this user in the account of the first user, and an event tells that. */
  byHand: (path: string, fields: JsonObject, username: string) => CloudRow;
  change: (path: string, id: string, fields: JsonObject, user?: string) => void;
  remove: (path: string, id: string, user?: string) => void;
  /** Removes a row and puts another's under its id. */
  replace: (path: string, id: string, fields: JsonObject, user?: string) => CloudRow;
  /** Told of each row that the operator is about to change or remove, or has just made. */
  onTouch: (listener: (entry: LedgerEntry, row: CloudRow) => void) => void;
  /** The user becomes restricted and no longer sees the rows. */
  withdraw: (username: string, serials: number[]) => void;
}

/** No service gives an id away again within the second that `created` tells. */
function laterThan({ fields: { created } }: CloudRow): JsonObject {
  if (typeof created !== "string") return {};
  return { created: new Date(Date.parse(`${created}Z`) + 1_000).toISOString().slice(0, 19) };
}

/** The cloud, and what dispatchers need of it. */
export function createCloud(clock: Clock, brandWord = "compute"): { cloud: Cloud; options: CloudOptions } {
  const settings = {
    ...defaultGrowing,
    listLagMs: 0,
    reuseIds: false,
    beginMs: 0,
    dateAheadMs: 0,
    latencyMs: 0,
    scopes: "*",
  };
  const rows = createRows(clock);
  const faults = createFaults();
  const users = new Map<string, User>();
  const ledger: LedgerEntry[] = [];
  const service = Object.assign(settings, { clock, rows, events: [] });
  const user = (username?: string): User => {
    const found = [...users.values()].find((one) => username === undefined || one.username === username);
    if (!found) throw new Error(`no user ${username}`);
    return found;
  };
  const holder = (path: string, username?: string): string => {
    const rule = ruleFor(path);
    if (!rule) throw new Error(`no collection ${path}`);
    return holderOf(rule, user(username));
  };
  const found = (path: string, id: string, username?: string): CloudRow => {
    const row = rows.find(holder(path, username), path, id);
    if (!row) throw new Error(`no row ${path}/${id}`);
    return row;
  };
  const insert = (path: string, id: string | undefined, fields: JsonObject, username?: string): CloudRow => {
    const rule = ruleFor(path);
    const number = rows.nextId(holder(path, username), path, false);
    const whole: JsonObject = {
      ...rule?.defaults(fields, number),
      ...(!rule?.identify && { id: id === undefined ? number : Number(id) }),
      created: clock.date().toISOString().slice(0, 19),
      ...fields,
    };
    if (id !== undefined && typeof whole["id"] === "string") whole["id"] = id;
    const own = id ?? rule?.identify?.(whole) ?? String(typeof fields["id"] === "number" ? fields["id"] : number);
    if (rows.find(holder(path, username), path, own)) throw new Error(`${path} has ${own} already`);
    const row = { id: own, path, holder: holder(path, username), fields: whole, beside: rule?.beside?.() ?? {} };
    return Object.assign(rows.add(row), { madeAfter: ledger.length });
  };
  const cloud: Cloud = {
    rows: (path, username) => rows.at(holder(path, username), path).map(({ fields }) => fields),
    find: (path, id, username) => rows.find(holder(path, username), path, id),
    history: () => rows.history(),
    fault: (fault) => faults.add(fault),
    clearFaults: () => faults.clear(),
    ledger: () => ledger,
    events: () => service.events,
    settings,
    addUser(given) {
      const uid = users.size + 1;
      const rest = {
        username: `user-${uid}`,
        uid,
        account: `euuid-${uid}`,
        restricted: false,
        hidden: new Set<number>(),
        phone: { codes: [] },
        settings: { preferences: {}, answers: {} },
      };
      const added = { ...rest, ...given };
      users.set(added.token, added);
      return added;
    },
    user,
    addToken: (token, username) => void users.set(token, user(username)),
    revoke: (token) => void users.delete(token),
    asOperator(method, path, body, more) {
      const { token } = user();
      const sent = {
        atMs: clock.now(),
        process: 1,
        method,
        path,
        body,
        token,
        applied: false,
        status: undefined,
        ...more,
      };
      const entry: LedgerEntry = { number: (ledger.at(-1)?.number ?? -1) + 1, ...sent };
      ledger.push(entry);
      entry.status = applyRequest(options, entry, new URLSearchParams(), {}).status;
    },
    add: (path, fields, username) => insert(path, undefined, fields, username),
    byHand(path, fields, username) {
      const [row, rule] = [insert(path, undefined, fields), ruleFor(path)];
      if (rule) note(service, { user: { ...user(), username } }, rule, row, "create");
      return row;
    },
    change: (path, id, fields, username) => void Object.assign(found(path, id, username).fields, fields),
    remove: (path, id, username) => rows.remove(found(path, id, username), undefined),
    replace(path, id, fields, username) {
      const former = found(path, id, username);
      rows.remove(former, undefined);
      return insert(path, id, { ...laterThan(former), ...fields }, username);
    },
    onTouch: (listener) => void options.onTouch.push(listener),
    withdraw(username, serials) {
      const restricted = user(username);
      restricted.restricted = true;
      for (const serial of serials) restricted.hidden.add(serial);
    },
  };
  const options: CloudOptions = {
    service,
    faults,
    users,
    ledger,
    brandWord,
    clock,
    onTouch: [],
    scopes: () => settings.scopes,
    dateAheadMs: () => settings.dateAheadMs,
    latencyMs: () => settings.latencyMs,
  };
  return { cloud, options };
}
