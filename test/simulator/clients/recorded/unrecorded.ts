import { gzipSync } from "node:zlib";
import { json } from "./interactions.ts";
import type { Interaction } from "./interactions.ts";
import { isObject } from "./references.ts";
import type { Response, Session } from "./session.ts";

/** Does what the client did between two recorded interactions: it created what the next request names. */
export async function before(session: Session, interaction: Interaction): Promise<void> {
  const { operation, status } = interaction;
  const body = json(interaction.body);
  const answer = json(interaction.answer);
  const given = isObject(body) ? body : {};
  await firewallsOf(session, given);
  volumesOf(session, interaction.path, given);
  await imageOf(session, given);
  await reservedAddressOf(session, operation, given, status);
  if (status === 200 || /busy/.test(interaction.answer))
    await targetOf(session, interaction, isObject(answer) ? answer : {});
}

async function firewallsOf(session: Session, body: Record<string, unknown>): Promise<void> {
  const interfaces = Array.isArray(body["interfaces"]) ? (body["interfaces"] as Record<string, unknown>[]) : [];
  for (const id of [body, ...interfaces].map((each) => each["firewall_id"])) {
    if (typeof id !== "number" || session.ids.has(id)) continue;
    const rules = { inbound: [], outbound: [], inbound_policy: "ACCEPT", outbound_policy: "ACCEPT" };
    const made = await session.ensure("POST", "/networking/firewalls", { label: `firewall-${id}`, rules });
    session.ids.set(id, String(made["id"]));
  }
}

/** An image of another recording: the account has it. */
async function imageOf(session: Session, { image }: Record<string, unknown>): Promise<void> {
  const number = typeof image === "string" ? /^private\/(\d+)$/.exec(image)?.[1] : undefined;
  if (number === undefined || session.ids.has(number)) return;
  const made = await session.ensure("POST", "/images/upload", { label: "image", region: "us-east" });
  const { id } = made["image"] as { id: string };
  session.simulator.control.change("image", id, { status: "available", size: 1 });
  session.ids.set(number, id.replace("private/", ""));
}

function volumesOf({ ids, simulator }: Session, path: string, body: Record<string, unknown>): void {
  const instance = Number(ids.of(/\/instances\/(\d+)/.exec(path)?.[1] ?? "0"));
  const devices = isObject(body["devices"]) ? Object.values(body["devices"]) : [];
  for (const device of devices) {
    const id = isObject(device) ? device["volume_id"] : undefined;
    if (typeof id === "number" && !ids.has(id))
      ids.set(id, simulator.control.compute.addVolume({ compute_id: instance }));
  }
}

/** An instance that is created with an address needs one that is reserved, and so does a tag. */
async function reservedAddressOf(
  session: Session,
  operation: string,
  body: Record<string, unknown>,
  status: number,
): Promise<void> {
  const wanted =
    (operation === "POST /compute/instances" && Array.isArray(body["ipv4"])) ||
    (operation === "POST /tags" && Array.isArray(body["reserved_ipv4_addresses"])) ||
    (operation === "POST /networking/ips/assign" &&
      session.addresses.last === undefined &&
      JSON.stringify(body).includes("192.0.2.0"));
  if (!wanted || status !== 200) return;
  await reserve(session, typeof body["region"] === "string" ? body["region"] : "us-east");
}

function knownRegion({ simulator }: Session, region: string): string {
  return simulator.control.rows("region", "").some(({ id }) => id === region) ? region : "us-ord";
}

async function targetOf(session: Session, interaction: Interaction, answer: Record<string, unknown>): Promise<void> {
  const { ids, simulator } = session;
  const { operation, path } = interaction;
  const instance = /\/instances\/(\d+)/.exec(path)?.[1];
  const rows = Array.isArray(answer["data"]) ? (answer["data"] as Record<string, unknown>[]) : [];
  if (instance !== undefined && operation.includes("/compute/instances/") && !ids.has(instance)) {
    const source =
      operation === "GET /compute/instances/{computeId}" ? answer : { region: "us-east", type: "g6-nanode-1" };
    const { region, type, image } = source;
    const body =
      image === null || image === undefined ? {} : { image, root_pass: "thisIsYourRootPassword", booted: false };
    const made = await session.ensure("POST", "/linode/instances", {
      region: knownRegion(session, String(region)),
      type,
      ...body,
    });
    ids.set(instance, String(made["id"]));
  }
  const own = instance === undefined ? undefined : Number(ids.of(instance));
  if (operation === "GET /compute/instances/{computeId}/volumes") attachVolumes(session, own, rows);
  if (operation === "GET /compute/instances/{computeId}/nodebalancers" && rows.length > 0)
    simulator.control.compute.addNodeBalancer({ computes: own === undefined ? [] : [own] });
  if (operation.endsWith("/object-list")) for (const { name } of rows) await upload(session, path, String(name));
  if (operation === "POST /object-storage/keys") await bucketsOf(session, interaction);
  if (operation === "GET /compute/instances/{computeId}/disks" && own !== undefined)
    await disksOf(session, own, rows.length);
  if (operation === "GET /databases/instances" && rows.length > 0) await databaseOf(session);
  if (operation === "GET /networking/ips" && /"reserved":true/.test(interaction.filter ?? ""))
    await reserve(session, (json(interaction.filter ?? "") as { region?: string }).region ?? "us-east");
  if (/^(GET|PUT) \/networking\/ips\/\{address\}$/.test(operation) && answer["linode_id"] === null) {
    const { last, assigned } = session.addresses;
    if (last === undefined || last === assigned) await reserve(session, "us-sea");
  }
  const backups = answer["backups"];
  if (
    own !== undefined &&
    isObject(backups) &&
    backups["enabled"] === true &&
    operation === "GET /compute/instances/{computeId}"
  )
    simulator.control.change("instance", own, {
      backups: { enabled: true, day: "Scheduling", window: "Scheduling", job: null },
    });
}

async function databaseOf(session: Session): Promise<void> {
  const body = { label: "database", region: "us-east", type: "g6-nanode-1", engine: "mysql/8", cluster_size: 1 };
  await session.ensure("POST", "/databases/mysql/instances", body);
  session.simulator.control.clock.advance(3_600_000);
}

/** Deletes the disks that the client deleted. */
async function disksOf(session: Session, instance: number, wanted: number): Promise<void> {
  const { control } = session.simulator;
  if (control.rows("disk").filter((disk) => disk["instance"] === instance).length <= wanted) return;
  for (let left = wanted; ; left += 1) {
    const disk = control.rows("disk").filter((each) => each["instance"] === instance)[wanted];
    if (!disk || left > 20) return;
    control.clock.advance(600_000);
    await session.ensure("DELETE", `/linode/instances/${instance}/disks/${Number(disk["id"])}`);
    control.clock.advance(600_000);
  }
}

async function reserve(session: Session, region: string): Promise<void> {
  const body = { type: "ipv4", public: true, reserved: true, region: knownRegion(session, region) };
  session.addresses.last = String((await session.ensure("POST", "/networking/ips", body))["address"]);
}

function attachVolumes({ simulator }: Session, instance: number | undefined, rows: Record<string, unknown>[]): void {
  const { control } = simulator;
  const wanted = rows.length;
  const attached = control.rows("volume").filter((row) => row["compute_id"] === instance);
  for (const { id } of attached.slice(wanted)) control.remove("volume", Number(id));
  for (let missing = wanted - attached.length; missing > 0; missing -= 1)
    control.compute.addVolume({
      compute_id: instance ?? null,
      ...(rows[0]?.["status"] === "creating" && { status: "creating" }),
    });
}

async function bucketsOf(session: Session, interaction: Interaction): Promise<void> {
  const { bucket_access: access } = json(interaction.body) as {
    bucket_access?: { region: string; bucket_name: string }[];
  };
  for (const { region, bucket_name: label } of access ?? [])
    await session
      .ensure("POST", "/object-storage/buckets", { region: knownRegion(session, region), label })
      .catch(() => undefined);
}

async function upload(session: Session, listPath: string, name: string): Promise<void> {
  const bucket = listPath
    .replace(/^\/v4(beta)?/, "")
    .replace(/\/object-list$/, "")
    .replace(/(?<=buckets\/)[^/]+/, (region) => knownPlace(session, region));
  const { url } = await session.ensure("POST", `${bucket}/object-url`, {
    name,
    method: "PUT",
    content_type: "text/plain",
  });
  await fetch(String(url), { method: "PUT", body: "content", headers: { "Content-Type": "text/plain" } });
}

function knownPlace(session: Session, place: string): string {
  return /-\d$/.test(place) ? place : knownRegion(session, place);
}

/** Does what the client did after a response: it used the URL, or remembered the address. */
export async function after(session: Session, interaction: Interaction, answer: unknown): Promise<void> {
  if (!isObject(answer)) return;
  const { addresses } = session;
  const { operation, status } = interaction;
  if (operation === "POST /networking/ips/assign" && status === 200 && addresses.last !== undefined)
    addresses.assigned = addresses.last;
  if (operation === "POST /compute/instances" && status === 200 && Array.isArray(answer["errors"]))
    await insteadOf(session, interaction);
  const ipv4 = answer["ipv4"];
  if (Array.isArray(ipv4) && typeof answer["id"] === "number")
    addresses.first.set(String(answer["id"]), String(ipv4[0]));
  if (operation === "POST /networking/ips" && typeof answer["address"] === "string") addresses.last = answer["address"];
  if (operation === "POST /networking/ipv6/ranges" && typeof answer["range"] === "string")
    addresses.range = answer["range"];
  if (operation.endsWith("/object-url") && typeof answer["url"] === "string") {
    const { method, content_type: type } = json(interaction.body) as { method: string; content_type?: string };
    const headers = type === undefined ? {} : { "Content-Type": type };
    if (method === "PUT") await fetch(answer["url"], { method, body: "content", headers });
    if (method === "DELETE") await fetch(answer["url"], { method });
  }
  const image = answer["image"];
  if (operation === "POST /images/upload" && isObject(image)) session.ids.set("upload", String(answer["upload_to"]));
}

/** Creates an instance in place of the one whose creation the simulator refused, so that the rest of the file has one. */
async function insteadOf(session: Session, interaction: Interaction): Promise<void> {
  const { id, region, image } = json(interaction.answer) as Record<string, unknown>;
  const known = session.simulator.control
    .rows("image", "")
    .some((row) => row["id"] === String(image).replace("linode/", "compute/"));
  const room = { root_pass: "thisIsYourRootPassword", booted: false };
  const body = known ? { image, ...room } : {};
  const made = await session.ensure("POST", "/linode/instances", {
    region: knownRegion(session, String(region)),
    type: "g6-nanode-1",
    ...body,
  });
  session.ids.set(String(id), String(made["id"]));
  const { boot_size: size } = json(interaction.body) as { boot_size?: number };
  if (size === undefined || !known) return;
  // Disks of another size than the type's leave room for further disks.
  const { control } = session.simulator;
  control.clock.advance(60_000);
  const disk = control.rows("disk").find((each) => each["instance"] === made["id"]);
  await session.ensure("POST", `/linode/instances/${String(made["id"])}/disks/${String(disk?.["id"])}/resize`, {
    size,
  });
}

/** Does what brings a row at rest to its recorded status, as the client did. Returns whether it did something. */
export async function reach(session: Session, interaction: Interaction, response: Response): Promise<boolean> {
  const recorded = json(interaction.answer);
  if (response.status !== interaction.status || !isObject(recorded) || !isObject(response.answer)) return false;
  const [from, to] = [String(response.answer["status"]), String(recorded["status"])];
  const id = String(response.answer["id"]);
  if (from === to || from === "undefined") return false;
  switch (interaction.operation) {
    case "GET /compute/instances/{computeId}":
      if (from === "offline" && (to === "running" || to === "booting"))
        await session.ensure("POST", `/linode/instances/${id}/boot`);
      else if (from === "running" && (to === "offline" || to === "shutting_down"))
        await session.ensure("POST", `/linode/instances/${id}/shutdown`);
      else return false;
      return true;
    case "GET /databases/mysql/instances/{instanceId}":
      session.simulator.control.change("database", id, { status: to });
      return true;
    case "GET /images/{imageId}":
      if (from !== "pending_upload") return false;
      await fetch(session.ids.of("upload"), {
        method: "PUT",
        body: gzipSync("content"),
        headers: { "Content-Type": "application/octet-stream" },
      });
      return true;
    default:
      return false;
  }
}
