/** The cloud's API on rows in memory: one function from a request to an answer. */
import type { Json, JsonObject } from "../../src/api/types.ts";
import type { Clock } from "../../src/queue/clock.ts";
import { cloning, collectionRules, instanceActions, restoring, text } from "./collections.ts";
import type { CollectionRule, Growing, InstanceAction } from "./collections.ts";
import { servePhone, type Phone } from "./phone.ts";
import { serveProfileSettings, type ProfileSettings } from "./profile-settings.ts";
import type { CloudRow, Rows } from "./rows.ts";
import { ok, paged, refuse } from "./answers.ts";
import { addressesOf, assign, share } from "./addresses.ts";
import { listEvents, note, noteAction } from "./events.ts";
import { serveConfigs } from "./configs.ts";
import { detachAll, deviceFields, refuseDevice, resizeDisk } from "./attached.ts";
import { bucketsIn, serveBucket, signature } from "./storage.ts";
import { backupsOf, takeSnapshot } from "./snapshots.ts";
import { serveTags } from "./tags.ts";

export interface User {
  token: string;
  username: string;
  uid: number;
  /** The real account; its rows are shared by all its users. */
  account: string;
  restricted: boolean;
  phone: Phone;
  settings: ProfileSettings;
  /** What the profile shows, where a test wants another form. */
  profile?: JsonObject;
  /** …and its grants. */
  grants?: JsonObject;
  /** Serials of rows that a restricted user does not see. */
  hidden: Set<number>;
}

export interface ServiceSettings extends Growing {
  /** Rows are missing from lists for so long after their creation. */
  listLagMs: number;
  /** What a list shows of a row that its own path shows otherwise. */
  inLists?: (fields: JsonObject) => JsonObject;
  /** Returns the body as the service stores it: with other values in some fields than a request sent. */
  normalise?: ((request: Sent) => JsonObject) | undefined;
  /** Returns why the service refuses a request, which then changes nothing. */
  refuses?: ((request: Sent) => { reason: string; field?: string } | undefined) | undefined;
  /** Ids of what was deleted are given to what is made next. */
  reuseIds: boolean;
  /** What an accepted action does begins so long after the response; until it has ended the row shows nothing of it. */
  beginMs: number;
}

export type Sent = Pick<ServiceRequest, "method" | "path" | "body"> & { author?: string | undefined };

export interface ServiceRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  filter: JsonObject;
  body: JsonObject;
  user: User;
  process: number;
  /** Number of the request in the ledger. */
  entry: number;
  /** Told of the row that is about to be changed or removed, or was just made. */
  touch: (row: CloudRow) => void;
}

export interface ServiceAnswer {
  status: number;
  body?: Json;
}

export interface Service extends ServiceSettings {
  clock: Clock;
  rows: Rows;
  events: JsonObject[];
}

/** Answers one request, and does what it asks for. */
export function serve(service: Service, request: ServiceRequest): ServiceAnswer {
  const { method, path, user } = request;
  if (path === "/profile") return ok(profileOf(user));
  const [phone, rest = ""] = /^\/profile\/phone-number(\/verify)?$/.exec(path) ?? [];
  if (phone !== undefined)
    return answerPhone(servePhone(user.phone, service.clock, request.method, rest, request.body));
  const setting = serveProfileSettings(user.settings, request);
  if (setting !== undefined) return ok(setting);
  if (path === "/account") return user.restricted ? refuse(403, "Unauthorized") : ok({ euuid: user.account });
  if (path === "/profile/grants")
    return user.restricted ? ok(user.grants ?? { global: { add_instances: true } }) : { status: 204 };
  if (path === "/object-storage/cancel" && request.method === "POST") return cancelStorage(service, request);
  if (path === "/account/events") return listEvents(service, request);
  if (/^\/networking\/(ips|ipv4)\/share$/.test(path)) return share(service, request);
  if (/^\/networking\/(ips|ipv4)\/assign$/.test(path)) return assign(service, request);
  if (path === "/images/upload" && method === "POST") return beginUpload(service, request);
  const ofTag = serveTags(service, request);
  if (ofTag) return ofTag;
  const [placed, rule] = [bucketsIn(service, request), ruleFor(path)];
  if (placed) return paged(placed, request.query);
  if (rule) return method === "POST" ? create(service, request, rule) : list(service, request, rule);
  return serveItem(service, request);
}

function profileOf({ uid, username, restricted, phone: { verified }, profile }: User): JsonObject {
  return profile ?? { uid, username, restricted, ...(verified !== undefined && { verified_phone_number: verified }) };
}

function answerPhone(refusal: string | undefined): ServiceAnswer {
  return refusal === undefined ? ok({}) : refuse(400, refusal);
}

/** All buckets go at once. */
function cancelStorage({ rows }: Service, { user, process }: ServiceRequest): ServiceAnswer {
  for (const bucket of rows.at(user.account, "/object-storage/buckets")) rows.remove(bucket, process);
  return ok({});
}

/** An image without data, and where that is to be sent. */
function beginUpload(service: Service, request: ServiceRequest): ServiceAnswer {
  const made = serve(service, { ...request, path: "/images", body: { ...request.body, upload: true } });
  const upload = `https://uploads.test/images?${signature}=${request.entry}`;
  return made.status === 200 ? ok({ image: made.body ?? null, upload_to: upload }) : made;
}

function serveItem(service: Service, request: ServiceRequest): ServiceAnswer {
  const found = itemAt(service, request);
  if (!found) return refuse(404, "Not found");
  const { row, rule, rest } = found;
  if (request.method !== "GET") request.touch(row);
  // A copy of it is another row.
  const mayKeep = !["GET", "DELETE"].includes(request.method) && rest !== "clone";
  if (row.stubborn && mayKeep) return answerStubborn(request, row, rest);
  if (rest !== "") return serveBelow(service, request, row, rest);
  if (request.method === "GET") return rule.holds ? paged([], request.query) : ok(row.fields);
  if (request.method === "DELETE") return remove(service, request, rule, row);
  if (isBusy(rule.changeableIn, row)) return busy();
  Object.assign(row.fields, picked(request.body, rule.settable));
  const { backups } = request.body as { backups?: JsonObject };
  if (backups) row.fields["backups"] = { ...(row.fields["backups"] as JsonObject), ...backups };
  note(service, request, rule, row, "update");
  return ok(row.fields);
}

/** Answered as done, and not done; signing changes nothing. */
function answerStubborn(request: ServiceRequest, row: CloudRow, rest: string): ServiceAnswer {
  const { [rest]: shown } = row.beside;
  if (rest === "object-url") return serveBucket(request, row, rest) ?? ok({});
  return rest.startsWith("configs/") ? ok(configIn(row, rest)) : ok(shown ?? row.fields);
}

function configIn({ beside }: CloudRow, rest: string): JsonObject {
  const configs = beside["configs"] as JsonObject[];
  return configs.find(({ id }) => rest === `configs/${text(id)}`) ?? {};
}

function itemAt({ rows }: Service, { path, user }: ServiceRequest) {
  const parts = path.split("/").map(decodeURIComponent);
  for (let length = parts.length - 1; length > 1; length -= 1) {
    const collection = parts.slice(0, length).join("/");
    const rule = ruleFor(collection);
    if (!rule) continue;
    const size = rule.idParts ?? (rule.identify ? 2 : 1);
    const row = rows.find(holderOf(rule, user), collection, parts.slice(length, length + size).join("/"));
    if (!row || (user.restricted && user.hidden.has(row.serial))) return undefined;
    return { row, rule, rest: parts.slice(length + size).join("/") };
  }
  return undefined;
}

function list(
  { rows, clock, listLagMs, inLists = (fields) => fields }: Service,
  { path, query, user }: ServiceRequest,
  rule: CollectionRule,
) {
  if (!parentExists(rows, path, user)) return refuse(404, "Not found");
  const seen = rows
    .at(holderOf(rule, user), path)
    .filter(({ createdAt }) => clock.now() - createdAt >= listLagMs || listLagMs === 0)
    .filter(({ serial }) => !user.restricted || !user.hidden.has(serial));
  return paged(
    seen.map(({ fields }) => inLists(fields)),
    query,
  );
}

function create(service: Service, request: ServiceRequest, rule: CollectionRule): ServiceAnswer {
  const { rows, clock, reuseIds } = service;
  const { path, user, body, process, entry } = request;
  const holder = holderOf(rule, user);
  if (!parentExists(rows, path, user)) return refuse(404, "Not found");
  const missing = rule.required.find((field) => body[field] === undefined);
  if (missing !== undefined) return refuse(400, `${missing} is required`, missing);
  const refused = path.endsWith("/devices") && refuseDevice(service, request, holder);
  if (refused) return refused;
  const parent = parentOf(rows, path, user);
  if (parent) request.touch(parent);
  const number = rows.nextId(holder, path, reuseIds);
  const { devices, backups_enabled: _, root_pass: __, booted: ___, ...sent } = body;
  const given: JsonObject = {
    ...rule.defaults(body, number),
    ...(path.endsWith("/devices") ? deviceFields(body) : sent),
    ...(!rule.identify && { id: number }),
    created: clock.date().toISOString().slice(0, 19),
  };
  const fields = rule.stored?.(given) ?? given;
  const id = rule.identify?.(fields) ?? String(number);
  const there = rule.returnsExisting ? rows.find(holder, path, id) : undefined;
  if (there) return ok(there.fields);
  const { unique } = rule;
  if (unique !== undefined && isTaken(service, rule, unique, { id, path, holder, fields }))
    return refuse(400, `${unique} must be unique`, unique);
  const grows = rule.grows?.(body, service);
  const next = grows && { at: clock.now() + grows.afterMs, fields: grows.fields };
  const beside = { ...rule.beside?.(), ...accessOf(rule, body) };
  const make = (): void => {
    const row = rows.add({ id, path, holder, fields, madeBy: process, madeIn: entry, next, beside });
    request.touch(row);
    addDevices(service, request, row, devices);
    note(service, request, rule, row, "create");
  };
  const afterMs = rule.appearsAfterMs?.(service) ?? 0;
  if (afterMs > 0) clock.schedule(afterMs, () => parent === parentOf(rows, path, user) && make());
  else make();
  return ok(rule.answersNothing ? {} : { ...fields, ...rule.shownOnce?.(fields) });
}

function isTaken(
  { rows }: Service,
  { uniqueEverywhere, identify }: CollectionRule,
  unique: string,
  { id, path, holder, fields }: Pick<CloudRow, "id" | "path" | "holder" | "fields">,
): boolean {
  const everybodys = () => rows.history().filter((row) => row.path === path && row.removed === undefined);
  const others = uniqueEverywhere === true ? everybodys() : rows.at(holder, path);
  return others.some((row) => (identify ? row.id === id : row.fields[unique] === fields[unique]));
}

function accessOf({ identify }: CollectionRule, { acl, cors_enabled: cors }: JsonObject): JsonObject {
  if (!identify) return {};
  return { access: { acl: acl ?? "private", cors_enabled: cors ?? false } };
}

function addDevices(
  service: Service,
  request: ServiceRequest,
  { path, id }: CloudRow,
  devices: Json | undefined,
): void {
  const { computes = [] } = (devices ?? {}) as { computes?: number[] };
  for (const instance of computes) {
    const body = { id: instance, type: "compute" };
    serve(service, { ...request, path: `${path}/${id}/devices`, body });
  }
}

function remove(service: Service, request: ServiceRequest, rule: CollectionRule, row: CloudRow): ServiceAnswer {
  if (isBusy(rule.deletableIn, row)) return busy();
  const { contents = [] } = row.beside as { contents?: string[] };
  if (contents.length > 0) return refuse(400, "The bucket is not empty");
  service.rows.remove(row, request.process);
  if (row.path === "/compute/instances") detachAll(service, row, request.process);
  note(service, request, rule, row, "delete");
  return ok({});
}

/** An instance gives an address back. */
function release(service: Service, request: ServiceRequest, address: string): ServiceAnswer {
  const found = itemAt(service, { ...request, path: `/networking/ips/${address}` });
  if (!found) return refuse(404, "Not found");
  request.touch(found.row);
  return remove(service, request, found.rule, found.row);
}

/** What stands below an item: actions, and endpoints beside the row. */
function serveBelow(service: Service, request: ServiceRequest, row: CloudRow, rest: string): ServiceAnswer {
  const { method, body } = request;
  const ofBucket = serveBucket(request, row, rest);
  if (ofBucket) return ofBucket;
  if (method === "POST" && rest === "clone") return clone(service, request, row);
  if (method === "POST" && /^backups\/\d+\/restore$/.test(rest)) return restore(service, request);
  if (method === "POST" && rest === "resize" && row.path.endsWith("/disks")) return resizeDisk(service, row, body);
  const action = method === "POST" ? instanceActions[rest] : undefined;
  if (action) return beginAction(service, request, row, { name: rest, ...action });
  if (rest === "ips" && row.path === "/compute/instances") return ok(addressesOf(service, row));
  if (method === "DELETE" && rest.startsWith("ips/")) return release(service, request, rest.slice("ips/".length));
  if (rest === "backups" && row.path === "/compute/instances") return serveSnapshots(service, request, row);
  if (rest === "backups/enable" || rest === "backups/cancel") {
    row.fields["backups"] = { ...(row.fields["backups"] as JsonObject), enabled: rest === "backups/enable" };
    return ok({});
  }
  if (rest === "rules") {
    if (method === "PUT") row.fields["rules"] = body;
    return ok(row.fields["rules"] ?? {});
  }
  if (rest === "access") {
    if (method !== "GET") row.beside["access"] = { ...(row.beside["access"] as JsonObject), ...body };
    return ok(row.beside["access"] ?? {});
  }
  return serveConfigs(service, request, row, rest) ?? serveFixed(request, row, rest);
}

function serveSnapshots(service: Service, request: ServiceRequest, row: CloudRow): ServiceAnswer {
  if (request.method !== "POST") return ok(backupsOf(row));
  if (isBusy(["running", "offline"], row)) return busy();
  const created = service.clock.date().toISOString().slice(0, 19);
  const taken = takeSnapshot(row, request.body, { id: request.entry, created });
  const rule = ruleFor(row.path);
  if (rule) noteAction(service, request, row, { rule, name: "snapshot", ms: 0 });
  return ok(taken);
}

/** The one that is restored to is busy, and the event is of it; where it is restored from shows nothing. */
function restore(service: Service, request: ServiceRequest): ServiceAnswer {
  const target = service.rows.find(request.user.account, "/compute/instances", text(request.body["compute_id"]));
  if (!target) return refuse(400, "compute_id is not valid", "compute_id");
  request.touch(target);
  return beginAction(service, request, target, { name: "restore", event: "backups_restore", ...restoring });
}

/** Disks are copied to the other instance, which is off meanwhile; the event is of the one that is copied. */
function copyTo(service: Service, request: ServiceRequest, row: CloudRow): ServiceAnswer {
  const target = service.rows.find(request.user.account, "/compute/instances", text(request.body["compute_id"]));
  if (!target) return refuse(400, "compute_id is not valid", "compute_id");
  if (target === row) return refuse(400, "compute_id is the instance itself", "compute_id");
  request.touch(target);
  return beginAction(service, request, row, { name: "clone", ...cloning });
}

function beginAction(
  service: Service,
  request: ServiceRequest,
  row: CloudRow,
  { name, event, ...action }: InstanceAction & { name: string; event?: string },
): ServiceAnswer {
  if (isBusy(action.from ?? ["running", "offline"], row)) return busy();
  const ms = service.beginMs + action.afterMs;
  row.next = { at: service.clock.now() + ms, fields: action.becomes(request.body, { ...row.fields }) };
  if (service.beginMs === 0) row.fields["status"] = action.during;
  const rule = ruleFor(row.path);
  if (rule) noteAction(service, request, row, { rule, name, ms, event });
  return ok({});
}

function clone(service: Service, request: ServiceRequest, row: CloudRow): ServiceAnswer {
  if (request.body["compute_id"] !== undefined) return copyTo(service, request, row);
  const { fields } = row;
  const { region = null, type = null, image = null } = fields;
  const body = { region, type, image, ...request.body };
  const rule = ruleFor("/compute/instances");
  return rule ? create(service, { ...request, path: "/compute/instances", body }, rule) : refuse(404, "Not found");
}

function serveFixed({ method, query }: ServiceRequest, row: CloudRow, rest: string): ServiceAnswer {
  const { [rest]: shown } = row.beside;
  if (shown !== undefined && rest !== "contents")
    return Array.isArray(shown) ? paged(shown as JsonObject[], query) : ok(shown);
  if (rest === "credentials") return ok({ username: "admin", password: "s3cret-of-the-database" });
  if (rest === "ssl") return ok({ ca_certificate: Buffer.from("certificate").toString("base64") });
  if (rest === "volumes" || rest === "nodebalancers") return paged([], query);
  if (rest === "object-list") {
    const data = ((row.beside["contents"] ?? []) as string[]).map((name) => ({ name }));
    return ok({ data, next_marker: null, is_truncated: false });
  }
  if (rest === "restore" && method === "POST") return ok({});
  return refuse(404, "Not found");
}

/** The rule for the path of a collection. */
export function ruleFor(path: string): CollectionRule | undefined {
  return collectionRules.find((rule) => rule.path.test(path));
}

export function holderOf({ personal, catalog }: CollectionRule, { account, username }: User): string {
  if (catalog) return "";
  return personal ? `${account}/${username}` : account;
}

function parentExists(rows: Rows, path: string, user: User): boolean {
  if (!isBelow.test(path)) return true;
  const row = parentOf(rows, path, user);
  return row !== undefined && !(user.restricted && user.hidden.has(row.serial));
}

const isBelow = /^(.*)\/(\d+)\/[a-z]+$/;

/** What the rows of a collection are in. */
function parentOf(rows: Rows, path: string, user: User): CloudRow | undefined {
  const [, parent, id] = isBelow.exec(path) ?? [];
  return parent === undefined || id === undefined ? undefined : rows.find(user.account, parent, id);
}

function isBusy(states: string[] | undefined, { fields }: CloudRow): boolean {
  return states !== undefined && !states.includes(text(fields["status"]));
}

function picked(body: JsonObject, fields: string[]): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([field]) => fields.includes(field)));
}

export function busy(): ServiceAnswer {
  return refuse(400, "Compute busy.");
}
