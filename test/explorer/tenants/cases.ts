/** Cases for the rules of the judge: a forbidden request or status, and a counterpart that differs in one fact. */
import type { JsonObject } from "../../../src/api/types.ts";
import { resources } from "../../../src/twin/definitions.ts";
import { byHand, namespaceOf, ownSecret, tokenSecret } from "./cast.ts";
import { accountRefAt, largeBytes, open, secretValue } from "./stage.ts";
import type { TenantStage } from "./stage.ts";
import type { Sharing, TenantLife } from "./story.ts";

const walls = "/networking/firewalls";
const wall = { label: "a", rules: { inbound: [], outbound: [], inbound_policy: "DROP", outbound_policy: "ACCEPT" } };
const place = { region: "us-east", type: "g6-standard-1" };
const { shop, team, outsider } = namespaceOf;
const firstToken = "token-of-default";

export function begin(sharing: Sharing): TenantStage {
  const life: TenantLife = { residents: [], sharing, cloudMs: 0, kubeMs: 0, commands: [] };
  return open(life, { start: false });
}

/** Sends a request as the operator would during a reconcile of the author. */
function send(
  stage: TenantStage,
  author: string,
  method: string,
  path: string,
  body?: object,
  more: object = {},
): void {
  stage.world.cloud.asOperator(method, path, body as JsonObject | undefined, { author, token: firstToken, ...more });
}

function sendAsTeam(stage: TenantStage, method: string, path: string, body?: object): void {
  send(stage, `Firewall/${team}/a`, method, path, body);
}

function createWall({ world }: TenantStage, namespace: string, spec: object = {}): void {
  const ref = namespace === shop ? {} : accountRefAt("team");
  const full = { label: "a", inboundPolicy: "DROP", outboundPolicy: "ACCEPT", ...ref, ...spec };
  world.cluster.create("Firewall", "a", full, { namespace });
}

function patchStatus({ world }: TenantStage, kind: string, namespace: string, status: object): void {
  world.cluster.objects.patch(resources.get(kind)!, { namespace, name: "a" }, { status }, "status");
}

function ready(reason: string, message = ""): object {
  const condition = { type: "Ready", status: "False", reason, message, lastTransitionTime: "2026-01-01T00:00:00Z" };
  return { observedGeneration: 1, conditions: [condition] };
}

function grant({ world }: TenantStage, sharing: object | null): void {
  world.cluster.patch("CloudAccount", "default", { spec: { sharing } }, shop);
}

/** Deletes a domain with the record of an object. */
async function deleteZone(stage: TenantStage, protect: boolean): Promise<void> {
  const { world } = stage;
  send(stage, `Domain/${shop}/zone`, "POST", "/domains", { domain: "a.test", type: "master" });
  const zone = world.cloud.history().at(-1)!;
  send(stage, `DomainRecord/${shop}/a`, "POST", `/domains/${zone.id}/records`, { type: "A", target: "192.0.2.1" });
  const management = { protect };
  world.cluster.create("DomainRecord", "a", { domainRef: { id: zone.id }, management }, { namespace: shop });
  patchStatus(stage, "DomainRecord", shop, { id: world.cloud.history().at(-1)?.id });
  await world.advance(600);
  send(stage, `Domain/${shop}/zone`, "DELETE", `/domains/${zone.id}`);
}

/** Sends content under an approval after a user replaced the bytes of the Secret. */
function sendContent(stage: TenantStage, version: number): void {
  const { world, books } = stage;
  const spec = { objectKey: "a", contentSecretRef: { name: ownSecret }, management: { policy: "Plan" } };
  world.cluster.create("BucketObject", "a", spec, { namespace: shop });
  books.review(world.cluster.get("BucketObject", "a", shop)!.metadata.uid, shop);
  world.cluster.patch("Secret", ownSecret, { stringData: { token: secretValue("shop", 1) } }, shop);
  const content = Buffer.from(secretValue("shop", version)).toString("base64");
  send(stage, `BucketObject/${shop}/a`, "PUT", "/objects/us-east-1/larch-bucket/a", undefined, { content });
}

async function rotate({ world }: TenantStage, ms: number): Promise<void> {
  world.cloud.addToken("fresh", "ada");
  world.cluster.patch("Secret", tokenSecret, { stringData: { token: "fresh" } }, shop);
  await world.advance(ms);
}

async function deleteWall(stage: TenantStage, ms: number): Promise<void> {
  const { world } = stage;
  createWall(stage, shop);
  world.cluster.patch("Firewall", "a", { metadata: { finalizers: ["test/held"] } }, shop);
  world.cluster.delete("Firewall", "a", shop);
  await world.advance(ms);
  send(stage, `Firewall/${shop}/a`, "POST", walls, wall);
}

function deleteAccount({ world }: TenantStage): void {
  world.cluster.patch("CloudAccount", "default", { metadata: { finalizers: ["test/held"] } }, shop);
  world.cluster.delete("CloudAccount", "default", shop);
}

function tellOutsiders(stage: TenantStage, reasons: [string, string]): void {
  for (const [index, name] of ["default", "absent"].entries()) {
    const ref = { name: `a${index}`, namespace: outsider };
    stage.world.cluster.create(
      "Firewall",
      ref.name,
      { accountRef: { name, namespace: shop } },
      { namespace: outsider },
    );
    stage.world.cluster.objects.patch(resources.get("Firewall")!, ref, { status: ready(reasons[index]!) }, "status");
  }
}

export interface Case {
  rule: string;
  what: string;
  why: string;
  sharing?: Sharing;
  breaks: (stage: TenantStage) => void | Promise<void>;
  keeps: (stage: TenantStage) => void | Promise<void>;
}

export const cases: Case[] = [
  {
    rule: "no request leaves without a share",
    what: "POST, no share ever",
    why: "the account is not shared",
    sharing: "none",
    breaks: (stage) => sendAsTeam(stage, "POST", walls, wall),
    keeps: (stage) => send(stage, `Firewall/${shop}/a`, "POST", walls, wall),
  },
  {
    rule: "no request leaves without a share",
    what: "POST, no share after it was withdrawn",
    why: "half a second is the age of a fresh fact",
    async breaks(stage) {
      grant(stage, null);
      await stage.world.advance(600);
      sendAsTeam(stage, "POST", walls, wall);
    },
    async keeps(stage) {
      grant(stage, null);
      await stage.world.advance(400);
      sendAsTeam(stage, "POST", walls, wall);
    },
  },
  {
    rule: "a tenant changes only its own cloud objects",
    what: `DELETE ${walls}/* touches ${walls}`,
    why: "a user made the firewall by hand",
    breaks: (stage) => sendAsTeam(stage, "DELETE", `${walls}/${stage.foreign.firewall}`),
    keeps(stage) {
      sendAsTeam(stage, "POST", walls, wall);
      sendAsTeam(stage, "DELETE", `${walls}/${stage.world.cloud.history().at(-1)?.id}`);
    },
  },
  {
    rule: "a tenant changes only its own cloud objects",
    what: "POST /domains/*/records touches /domains",
    why: "a record in a foreign zone changes the zone",
    breaks: (stage) => sendAsTeam(stage, "POST", `/domains/${stage.foreign.domain}/records`, { type: "A" }),
    keeps(stage) {
      grant(stage, { namespaces: [team], existing: [team] });
      sendAsTeam(stage, "POST", `/domains/${stage.foreign.domain}/records`, { type: "A" });
    },
  },
  {
    rule: "a tenant names only its own cloud objects",
    what: "POST /compute/instances names a foreign image",
    why: "the image is private",
    breaks: (stage) => sendAsTeam(stage, "POST", "/compute/instances", { ...place, image: byHand.image }),
    keeps: (stage) => sendAsTeam(stage, "POST", "/compute/instances", { ...place, image: "compute/debian12" }),
  },
  {
    rule: "a tenant names only its own cloud objects",
    what: `POST ${walls}/*/devices names a foreign device`,
    why: "the instance belongs to another tenant",
    breaks(stage) {
      sendAsTeam(stage, "POST", walls, wall);
      const { id } = stage.world.cloud.history().at(-1)!;
      sendAsTeam(stage, "POST", `${walls}/${id}/devices`, { id: Number(stage.foreign.instance), type: "compute" });
    },
    keeps(stage) {
      sendAsTeam(stage, "POST", "/compute/instances", place);
      const instance = stage.world.cloud.history().at(-1)!;
      sendAsTeam(stage, "POST", walls, wall);
      const { id } = stage.world.cloud.history().at(-1)!;
      sendAsTeam(stage, "POST", `${walls}/${id}/devices`, { id: Number(instance.id), type: "compute" });
    },
  },
  {
    rule: "only accountWide permits requests for the whole account",
    what: "POST /profile/sshkeys",
    why: "every namespace shares the profile",
    breaks: (stage) => sendAsTeam(stage, "POST", "/profile/sshkeys", { label: "a", ssh_key: "b" }),
    keeps(stage) {
      grant(stage, { namespaces: [team], accountWide: [team] });
      sendAsTeam(stage, "POST", "/profile/sshkeys", { label: "a", ssh_key: "b" });
    },
  },
  {
    rule: "a tenant reads only its own cloud objects",
    what: `GET ${walls}/*`,
    why: "the path names the foreign firewall",
    breaks: (stage) => sendAsTeam(stage, "GET", `${walls}/${stage.foreign.firewall}`),
    keeps: (stage) => sendAsTeam(stage, "GET", walls),
  },
  {
    rule: "a message names only objects of its own tenant",
    what: "a status shows a name of shop",
    why: "larch is the word of shop",
    breaks(stage) {
      createWall(stage, team);
      patchStatus(stage, "Firewall", team, ready("Conflict", "managed by Firewall shop/larch-1"));
    },
    keeps(stage) {
      createWall(stage, team, { label: "larch-1" });
      patchStatus(stage, "Firewall", team, ready("Conflict", "larch-1 is taken"));
    },
  },
  {
    rule: "a message contains only ids of its own tenant",
    what: "a status shows the id of a foreign row",
    why: "the owner of the account did not share what exists",
    breaks(stage) {
      createWall(stage, team);
      patchStatus(stage, "Firewall", team, ready("Conflict", `${stage.foreign.firewall} has the label`));
    },
    keeps(stage) {
      createWall(stage, shop);
      patchStatus(stage, "Firewall", shop, ready("Conflict", `${stage.foreign.firewall} has the label`));
    },
  },
  {
    rule: "a foreign namespace cannot tell whether an account exists",
    what: "an object is told by its reason",
    why: "the account was never shared with the namespace",
    breaks: (stage) => tellOutsiders(stage, ["NotShared", "WaitingForAccount"]),
    keeps: (stage) => tellOutsiders(stage, ["NotShared", "NotShared"]),
  },
  {
    rule: "a request contains only Secrets of its author",
    what: "POST sends a token",
    why: "only the CloudAccount may use a token",
    breaks(stage) {
      createWall(stage, shop, { description: tokenSecret });
      send(stage, `Firewall/${shop}/a`, "POST", walls, { ...wall, label: firstToken });
    },
    keeps: (stage) => send(stage, `Firewall/${shop}/a`, "POST", walls, wall),
  },
  {
    rule: "a request contains only Secrets of its author",
    what: "POST sends a foreign Secret",
    why: "the Secret is in the namespace of shop",
    breaks(stage) {
      createWall(stage, team, { secretRef: { name: ownSecret } });
      sendAsTeam(stage, "POST", walls, { ...wall, label: secretValue("shop", 0) });
    },
    keeps(stage) {
      createWall(stage, team, { secretRef: { name: ownSecret } });
      sendAsTeam(stage, "POST", walls, { ...wall, label: secretValue("team", 0) });
    },
  },
  {
    rule: "no status, event or log line contains a Secret",
    what: "a status shows bytes of a Secret",
    why: "a user can read objects without permission to read Secrets",
    breaks(stage) {
      createWall(stage, shop);
      patchStatus(stage, "Firewall", shop, ready("Refused", `got ${secretValue("shop", 0)}`));
    },
    keeps(stage) {
      createWall(stage, shop);
      patchStatus(stage, "Firewall", shop, ready("Refused", `Secret ${ownSecret} is refused`));
    },
  },
  {
    rule: "no request uses a rotated token",
    what: "POST with a former token",
    why: "the Secret has had another token for longer than half a second",
    async breaks(stage) {
      await rotate(stage, 600);
      send(stage, `Firewall/${shop}/a`, "POST", walls, wall);
    },
    async keeps(stage) {
      await rotate(stage, 400);
      send(stage, `Firewall/${shop}/a`, "POST", walls, wall);
    },
  },
  {
    rule: "no creation serves a deleted or paused object",
    what: `POST ${walls} for a deleted object`,
    why: "the deletion began more than half a second earlier",
    breaks: (stage) => deleteWall(stage, 600),
    keeps: (stage) => deleteWall(stage, 400),
  },
  {
    rule: "no creation serves a deleted or paused object",
    what: `POST ${walls} for a paused object`,
    why: "a user paused the object",
    async breaks(stage) {
      createWall(stage, shop, { management: { policy: "Paused" } });
      await stage.world.advance(600);
      send(stage, `Firewall/${shop}/a`, "POST", walls, wall);
    },
    async keeps(stage) {
      createWall(stage, shop);
      await stage.world.advance(600);
      send(stage, `Firewall/${shop}/a`, "POST", walls, wall);
    },
  },
  {
    rule: "a protected object keeps its parent",
    what: "DELETE /domains/* takes it along, named by id",
    why: "the cloud deletes the record with the zone",
    breaks: (stage) => deleteZone(stage, true),
    keeps: (stage) => deleteZone(stage, false),
  },
  {
    rule: "only objects that hold something keep an account",
    what: "kept by foreign objects",
    why: "the object has no finalizer, so it holds nothing",
    breaks(stage) {
      createWall(stage, team);
      deleteAccount(stage);
    },
    keeps(stage) {
      createWall(stage, team);
      stage.world.cluster.patch("Firewall", "a", { metadata: { finalizers: ["test/held"] } }, team);
      deleteAccount(stage);
    },
  },
  {
    rule: "an account stays while an object holds something",
    what: "released",
    why: "the firewall of the object still exists",
    async breaks(stage) {
      createWall(stage, team);
      sendAsTeam(stage, "POST", walls, wall);
      patchStatus(stage, "Firewall", team, { id: stage.world.cloud.history().at(-1)?.id });
      await stage.world.advance(100);
      stage.world.cluster.delete("CloudAccount", "default", shop);
    },
    async keeps(stage) {
      createWall(stage, team);
      await stage.world.advance(100);
      stage.world.cluster.delete("CloudAccount", "default", shop);
    },
  },
  {
    rule: "an object has at most one billable cloud object",
    what: "created twice",
    why: "both addresses are billed",
    breaks(stage) {
      for (const address of ["192.0.2.1", "192.0.2.2"])
        send(stage, `IPAddress/${shop}/a`, "POST", "/networking/ips", { address });
    },
    keeps(stage) {
      send(stage, `IPAddress/${shop}/a`, "POST", "/networking/ips", { address: "192.0.2.1" });
      send(stage, `IPAddress/${shop}/b`, "POST", "/networking/ips", { address: "192.0.2.2" });
    },
  },
  {
    rule: "an approved plan sends the reviewed bytes",
    what: "other bytes than at the review",
    why: "the Secret got other bytes after the review",
    breaks: (stage) => sendContent(stage, 1),
    keeps: (stage) => sendContent(stage, 0),
  },
  {
    rule: "a request contains at most 64 KiB of a Secret",
    what: "too much user data",
    why: "64 KiB are the limit",
    breaks: (stage) => sendUserData(stage, largeBytes),
    keeps: (stage) => sendUserData(stage, 65_536),
  },
  {
    rule: "every object ends with a reason that a user can act on",
    what: "still ClusterUnavailable",
    why: "nothing is wrong with the cluster",
    breaks(stage) {
      createWall(stage, shop);
      patchStatus(stage, "Firewall", shop, ready("ClusterUnavailable"));
    },
    keeps(stage) {
      createWall(stage, shop);
      patchStatus(stage, "Firewall", shop, ready("InvalidSpec"));
    },
  },
];

function sendUserData(stage: TenantStage, bytes: number): void {
  const metadata = { user_data: Buffer.alloc(bytes, "x").toString("base64") };
  send(stage, `ComputeInstance/${shop}/a`, "POST", "/compute/instances", { ...place, metadata });
}
