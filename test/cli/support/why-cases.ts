/** For each reason of the troubleshooting guide: a situation with the reason, the root cause, and a cure that works. */
import type { Reason } from "../../../src/core/kind/reasons.ts";
import { secrets } from "../../../src/cluster/secrets.ts";
import { resources } from "../../world/cluster.ts";
import { createWorld } from "../../world/world.ts";
import type { World, WorldOptions } from "../../world/world.ts";
import { idOf, madeMs, manage, minutes, paths, specs } from "../../core/support.ts";
import { addNamespace } from "./world-cluster.ts";
import { kept } from "./why-kept.ts";
import { once } from "./why-once.ts";

export interface Case {
  /** Brings the object to the reason. */
  arrange: () => Promise<World> | World;
  object: readonly [kind: string, name: string, namespace?: string];
  /** The root cause, in the output of the command. */
  cause: string | RegExp;
  /**
   * Carries out the cure: a pattern of the named command to run, or what a user does in the cluster or the cloud. Undefined if
   * the user has nothing to do.
   */
  cure?: RegExp | ((world: World) => void | Promise<void>);
  /** Texts for the words in angle brackets of the command. */
  fill?: string;
  /** Milliseconds until the cure has its effect. */
  afterMs?: number;
  /** The reason after the cure; `gone` for a deleted object. Defaults to Ready. */
  after?: string;
}

const key = ["SSHKey", "laptop"] as const;
const soonMs = 60_000;

export async function withKey(options: WorldOptions = {}, management?: object): Promise<World> {
  const world = createWorld(options);
  world.cluster.create("SSHKey", "laptop", specs.SSHKey, management && { management });
  await world.advance(10_000);
  return world;
}

/** A ready SSHKey whose CloudAccount got another token, and a change that waits for the account. */
async function withToken(token: string): Promise<World> {
  const world = await withKey();
  storeToken(world, token);
  world.cluster.patch("SSHKey", "laptop", { spec: { label: "renamed" } });
  await world.advance(soonMs);
  return world;
}

function storeToken({ cluster }: World, token: string): void {
  cluster.objects.patch(secrets, { namespace: "default", name: "cloud-token" }, { stringData: { token } });
}

/** An SSHKey whose create request meets a fault until `clearFaults`. */
function withFault(kind: "tooMany" | "unreachable" | "refused" | "forbidden" | "busy") {
  return async () => {
    const world = createWorld();
    await world.settle();
    const reason = kind === "refused" ? { reason: "Label is not valid" } : {};
    world.cloud.fault({ kind, method: "POST", path: /sshkeys/, times: 10_000, ...reason });
    world.cluster.create("SSHKey", "laptop", specs.SSHKey);
    await world.advance(soonMs);
    return world;
  };
}

const clear = ({ cloud }: World): void => cloud.clearFaults();

/** An object with conditions that no situation in memory causes. Only the text of the cure is tested. */
function stated(kind: string, name: string, reason: Reason, message: string, spec: object = {}): Case {
  return {
    object: [kind, name],
    cause: message,
    async arrange() {
      const world = createWorld({ account: kind !== "CloudAccount", start: false });
      world.cluster.create(kind, name, spec);
      const condition = { type: "Ready", status: "False", reason, message, lastTransitionTime: "2026-01-01T00:00:00Z" };
      const status = { observedGeneration: 1, conditions: [condition] };
      world.cluster.objects.patch(resources.get(kind)!, { namespace: "default", name }, { status }, "status");
      const account = { observedGeneration: 1, conditions: [{ ...condition, status: "True", reason: "Connected" }] };
      const ref = { namespace: "default", name: "default" };
      if (kind !== "CloudAccount")
        world.cluster.objects.patch(resources.get("CloudAccount")!, ref, { status: account }, "status");
      return Promise.resolve(world);
    },
  };
}

const readOnly: WorldOptions = { readOnly: true };

export const cases: Record<Reason, Case> = {
  ...once,
  ...kept,
  Ready: { arrange: () => withKey(), object: key, cause: "SSHKey default/laptop is Ready" },
  Listed: {
    arrange: async () => {
      const world = createWorld({ catalogs: true, start: false });
      const row = {
        id: "us-east",
        label: "In us-east",
        country: "us",
        status: "ok",
        capabilities: ["Vlans", "Compute"],
      };
      world.cloud.add("/regions", row);
      world.restart();
      await world.advance(minutes(5));
      return world;
    },
    object: ["Region", "us-east"],
    cause: "Region us-east is Ready",
  },
  Connected: { arrange: () => withKey(), object: ["CloudAccount", "default"], cause: "Connected as ada" },
  Paused: {
    arrange: async () => {
      const world = await withKey();
      manage(world, "SSHKey", "laptop", { policy: "Paused" });
      await world.advance(soonMs);
      return world;
    },
    object: key,
    cause: "spec.management.policy is Paused",
    cure: /cloudplatform resume/,
  },
  WaitingForAccount: {
    arrange: () => withKey({ account: false }),
    object: key,
    cause: "CloudAccount default does not exist in namespace default",
    cure: ({ cluster }) => {
      cluster.secret("cloud-token", { token: "token-of-default" });
      cluster.create("CloudAccount", "default", { tokenSecretRef: { name: "cloud-token" } });
    },
  },
  NotShared: {
    arrange: async () => {
      const world = createWorld();
      addNamespace(world, "shop");
      const accountRef = { name: "default", namespace: "default" };
      world.cluster.create("Firewall", "wall", { ...specs.Firewall, accountRef }, { namespace: "shop" });
      await world.advance(soonMs);
      return world;
    },
    object: ["Firewall", "wall", "shop"],
    cause: "spec.sharing.namespaces of CloudAccount default/default does not contain namespace shop",
    cure: /kubectl patch cloudaccount/,
  },
  TokenMissing: {
    arrange: () => withToken(""),
    object: key,
    cause: "Cause: Secret default/cloud-token: Secret cloud-token has no value under the key token",
    cure: /create secret generic cloud-token/,
    fill: "token-of-default",
  },
  TokenMalformed: {
    arrange: () => withToken("two words"),
    object: key,
    cause: "Cause: Secret default/cloud-token: the value under the key token of Secret cloud-token is no token",
    cure: /create secret generic cloud-token/,
    fill: "token-of-default",
  },
  TokenRejected: {
    arrange: () => withToken("wrong"),
    object: key,
    cause: "Cause: Secret default/cloud-token: the cloud API rejects the token under the key token",
    cure: /create secret generic cloud-token/,
    fill: "token-of-default",
  },
  AccountChanged: {
    arrange: async () => {
      const world = await withKey();
      world.cloud.addUser({ token: "of-another", username: "eve" });
      storeToken(world, "of-another");
      world.cluster.patch("SSHKey", "laptop", { spec: { label: "renamed" } });
      await world.advance(soonMs);
      return world;
    },
    object: key,
    cause: "Cause: CloudAccount default/default: ",
    cure: (world) => storeToken(world, "token-of-default"),
  },
  UnknownEndpoint: {
    arrange: async () => {
      const world = createWorld({ account: false });
      world.cluster.secret("cloud-token", { token: "token-of-default" });
      world.cluster.create("CloudAccount", "default", { endpoint: "mars", tokenSecretRef: { name: "cloud-token" } });
      world.cluster.create("SSHKey", "laptop", specs.SSHKey);
      await world.advance(soonMs);
      return world;
    },
    object: key,
    cause: 'Cause: CloudAccount default/default: spec.endpoint: "mars" is not an endpoint of the operator',
    cure: ({ cluster }) => {
      cluster.patch("CloudAccount", "default", { spec: { endpoint: null } });
    },
    afterMs: minutes(20),
  },
  WrongBrandWord: stated("CloudAccount", "default", "WrongBrandWord", "Set the brand word of the operator to acme", {
    tokenSecretRef: { name: "cloud-token" },
  }),
  PermissionsWithdrawn: stated(
    "SSHKey",
    "laptop",
    "PermissionsWithdrawn",
    "RoleBinding cloud is being deleted",
    specs.SSHKey,
  ),
  InternalError: stated("SSHKey", "laptop", "InternalError", "x is not a function", specs.SSHKey),
  WaitingForReference: {
    arrange: async () => {
      const world = createWorld();
      const spec = { domainRef: { name: "zone" }, type: "A", name: "www", target: "192.0.2.1" };
      world.cluster.create("DomainRecord", "www", spec);
      await world.advance(soonMs);
      return world;
    },
    object: ["DomainRecord", "www"],
    cause: "Cause: Domain default/zone: Domain zone does not exist in namespace default",
    cure: ({ cluster }) => void cluster.create("Domain", "zone", specs.Domain),
  },
  WaitingForSecret: {
    arrange: async () => {
      const world = createWorld();
      world.cluster.create("Bucket", "media", specs.Bucket);
      const spec = { bucketRef: { name: "media" }, objectKey: "robots.txt", contentSecretRef: { name: "robots" } };
      world.cluster.create("BucketObject", "robots", spec);
      await world.advance(soonMs);
      return world;
    },
    object: ["BucketObject", "robots"],
    cause: "Cause: Secret default/robots: Secret robots does not exist in namespace default",
    cure: /create secret generic robots --from-file=content=<file>$/,
    fill: "allow",
  },
  RateLimited: { arrange: withFault("tooMany"), object: key, cause: "got status 429", cure: clear },
  CloudUnavailable: {
    arrange: withFault("unreachable"),
    object: key,
    cause: /CloudUnavailable: .*retries/,
    cure: clear,
  },
  Refused: { arrange: withFault("refused"), object: key, cause: "Label is not valid", cure: clear },
  Forbidden: { arrange: withFault("forbidden"), object: key, cause: /Forbidden: The cloud API refused/, cure: clear },
  Busy: { arrange: withFault("busy"), object: key, cause: /Busy: .*busy/, cure: clear },
  ClusterUnavailable: {
    arrange: async () => {
      const world = createWorld();
      await world.settle();
      world.cluster.writeFaults.push({ verb: "patch", how: "annotations", times: Infinity });
      world.cluster.create("SSHKey", "laptop", specs.SSHKey);
      await world.advance(minutes(5));
      return world;
    },
    object: key,
    cause: /ClusterUnavailable: .*journal/,
    cure: ({ cluster }) => void cluster.writeFaults.splice(0),
  },
  InvalidSpec: {
    arrange: async () => {
      const world = createWorld();
      world.cluster.create("SSHKey", "laptop", {});
      await world.advance(soonMs);
      return world;
    },
    object: key,
    cause: "spec.sshKey",
    cure: ({ cluster }) => void cluster.patch("SSHKey", "laptop", { spec: specs.SSHKey }),
  },
  WaitingForApproval: {
    arrange: () => withKey({}, { policy: "Plan" }),
    object: key,
    cause: "Creates an SSH key",
    cure: /cloudplatform approve/,
  },
  ReadOnly: {
    arrange: () => withKey(Object.assign(readOnly, { readOnly: true })),
    object: key,
    cause: "The operator is read-only",
    cure: (world) => {
      readOnly.readOnly = false;
      world.restart();
    },
  },
  NotVisible: {
    arrange: async () => {
      const world = await withKey();
      world.cloud.withdraw("ada", [world.cloud.history()[0]!.serial]);
      await world.advance(130_000);
      return world;
    },
    object: key,
    cause: "NotVisible",
    cure: ({ cloud }) => cloud.user("ada").hidden.clear(),
  },
  Provisioning: {
    arrange: async () => {
      const world = createWorld();
      world.cluster.create("ManagedMySQL", "db", specs.ManagedMySQL);
      await world.advance(soonMs);
      return world;
    },
    object: ["ManagedMySQL", "db"],
    cause: "Provisioning",
    afterMs: madeMs,
    cure: () => undefined,
  },
  Unreadable: {
    arrange: async () => {
      const world = await withKey();
      world.cloud.change(paths.SSHKey, idOf(world, "SSHKey", "laptop"), { label: 7 });
      await world.advance(130_000);
      return world;
    },
    object: key,
    cause: "cannot read",
    cure: (world) => world.cloud.change(paths.SSHKey, idOf(world, "SSHKey", "laptop"), { label: "laptop" }),
  },
};
