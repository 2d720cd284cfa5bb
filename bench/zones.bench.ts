/**
 * Five thousand zones of twenty records each: whether their polls fit the rate limits, and how soon drift is seen. It takes hours of
 * the clock of a world in memory, in which requests and times are exact, and nothing of it is a speed.
 */
import type { JsonObject } from "../src/api/types.ts";
import { createWorld } from "../test/world/world.ts";
import type { World } from "../test/world/world.ts";
import { figure, median } from "./support/measure.ts";

/** `ZONES=500` for fewer. */
const zones = Number(process.env["ZONES"] ?? 5_000);
const recordsOfOthers = 19;
const drifting = 40;
const minuteMs = 60_000;
const windowMs = 2 * minuteMs;
/** What the documents allow in a window. */
const limit = 1_600;

for (const events of [true, false]) {
  const world = await settled(events);
  const what = events ? "with its events" : "without events";
  const since = world.cloud.ledger().length;
  const seenMs = await seeDrift(world);
  figure(`requests in the busiest 2 minutes, ${zones.toLocaleString("en")} zones ${what}`, busiest(world, since), "", {
    atMost: limit,
  });
  figure(`zones of which drift was seen ${what}`, seenMs.length, "", { atLeast: drifting });
  figure(`drift in a zone seen within ${what}`, Math.max(...seenMs) / 1_000, "s", { atMost: events ? 15 : 900 });
  figure(`median of that ${what}`, median(seenMs) / 1_000, "s");
  world.crash();
}

/** Each zone has a record of an object, and the others' beside it; all of them are Ready. */
async function settled(events: boolean): Promise<World> {
  const world = createWorld({ installed: new Set(["CloudAccount", "Domain", "DomainRecord"]) });
  if (!events) world.cloud.settings.scopes = "domains:read_write account:read_only";
  world.cloud.settings.latencyMs = 20;
  await world.advance(minuteMs);
  for (let zone = 0; zone < zones; zone += 1) {
    const name = `zone-${zone}`;
    world.cluster.create("Domain", name, { domain: `${name}.test`, type: "master", soaEmail: "admin@example.org" });
    const spec = { domainRef: { name }, type: "A", name: "www", target: "192.0.2.1" };
    world.cluster.create("DomainRecord", name, spec);
    // The world ends a process that does this much at one moment.
    if (zone % 100 === 99) await world.advance(10_000);
  }
  const made = () => world.cloud.history().filter(({ path }) => path !== "/domains").length;
  // Two creations each, of 800 a minute.
  for (let minutes = 0; made() < zones && minutes < 10 + zones / 200; minutes += 1) await world.advance(minuteMs);
  if (made() < zones) throw new Error(`${made()} of ${zones} records were created`);
  for (const { path, id } of world.cloud.history().filter((row) => row.path === "/domains"))
    for (let number = 0; number < recordsOfOthers; number += 1)
      world.cloud.add(`${path}/${id}/records`, { type: "A", name: `host-${number}`, target: "192.0.2.7" });
  // A pass in which nothing happens.
  await world.advance(30 * minuteMs);
  return world;
}

/** Others change records of some zones, one zone a minute; answers after which time each was changed back, milliseconds. */
async function seeDrift(world: World): Promise<number[]> {
  const own = world.cloud.history().filter(({ path, fields }) => path !== "/domains" && fields["name"] === "www");
  const changed = own.filter((_, index) => index % Math.floor(own.length / drifting) === 0).slice(0, drifting);
  const times = new Map<string, number>();
  for (const { path, id } of changed) {
    times.set(`${path}/${id}`, world.clock.now());
    world.cloud.change(path, id, { target: "192.0.2.9" });
    tell(world, path, id);
    // No multiple of what is read every few seconds.
    await world.advance(minuteMs + 1_700);
  }
  await world.advance(20 * minuteMs);
  return world.cloud.ledger().flatMap(({ method, path, body, atMs }) => {
    const since = times.get(path);
    return method === "PUT" && body?.["target"] === "192.0.2.1" && since !== undefined ? [atMs - since] : [];
  });
}

/** The event of a change of a record, as the simulator has it. */
function tell({ cloud, clock }: World, path: string, id: string): void {
  const zone = path.split("/")[2] ?? "";
  const events = cloud.events() as JsonObject[];
  events.push({
    id: Number(events.at(-1)?.["id"] ?? 0) + 1,
    action: "dns_record_update",
    status: "notification",
    created: clock.date().toISOString().slice(0, 19),
    entity: { id: Number(zone), type: "domain", label: "", url: `/v4/domains/${zone}` },
    secondary_entity: { id: Number(id), type: "domain_record", label: "", url: `/v4${path}/${id}` },
    account: cloud.user("ada").account,
  });
}

function busiest(world: World, since: number): number {
  const times = world.cloud
    .ledger()
    .slice(since)
    .map(({ atMs }) => atMs);
  let [most, first] = [0, 0];
  for (const [index, atMs] of times.entries()) {
    while (atMs - (times[first] ?? atMs) >= windowMs) first += 1;
    most = Math.max(most, index - first + 1);
  }
  return most;
}
