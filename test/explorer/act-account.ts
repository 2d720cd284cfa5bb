/** What a story does to accounts, their tokens, their namespace and the processes that lead. */
import type { KubeObject } from "../../src/cluster/types.ts";
import { resources } from "../../src/twin/definitions.ts";
import { token } from "../world/world.ts";
import type { World } from "../world/world.ts";
import { beginDelete, patch } from "./actor.ts";
import type { Stage } from "./actor.ts";
import type { AccountCommand } from "./story.ts";

const tokens = { fresh: "another-token-of-ada", user: "token-of-second", stranger: "token-of-stranger", first: token };

export function actOnAccount(stage: Stage, command: AccountCommand): void {
  const { world } = stage;
  switch (command.do) {
    case "rotate":
      return rotate(stage, command);
    case "poll": {
      const account = world.cluster.get("CloudAccount", "default");
      return account && patch(stage, account, { spec: { pollSeconds: command.seconds } });
    }
    case "account":
      return command.how === "delete" ? removeAccount(stage) : createAccount(world);
    case "deleteNamespace":
      return deleteNamespace(stage);
    case "handOver":
      if (world.processes().length > 0) world.handOver(command.ms);
      return;
    case "slowTenant":
      stage.slow?.push({ place: command.place, from: world.clock.now(), troubled: isTroubled(stage) });
      return world.cloud.fault({
        kind: "slow",
        path: /^\/(?!account|profile$|profile\/grants)/,
        token: command.place === "default" ? token : "token-of-second",
        ms: command.ms,
        times: command.times,
      });
  }
}

function rotate({ world, life }: Stage, { to, revoke }: Extract<AccountCommand, { do: "rotate" }>): void {
  const { cluster, cloud } = world;
  const secret = cluster.get("Secret", "cloud-token");
  // What belongs to a user is not there for another user of the account.
  const personal = life.residents.some(({ kind }) => kind === 0);
  if (!secret || (to === "user" && personal)) return;
  if (to === "fresh") cloud.addToken(tokens.fresh, "ada");
  if (to === "first") cloud.addToken(tokens.first, "ada");
  cluster.patch("Secret", "cloud-token", { stringData: { token: tokens[to] } });
  if (!revoke || to === "first") return;
  cloud.addToken(tokens.fresh, "ada");
  cloud.revoke(tokens.first);
}

function removeAccount(stage: Stage): void {
  const account = stage.world.cluster.get("CloudAccount", "default");
  if (account) beginDelete(stage, account)();
}

/** The account and its token as they were, where they are gone. */
export function createAccount({ cluster, cloud }: World): void {
  if (!cluster.get("Secret", "cloud-token")) {
    cloud.addToken(token, "ada");
    cluster.secret("cloud-token", { token });
  }
  if (!cluster.get("CloudAccount", "default"))
    cluster.create("CloudAccount", "default", {
      tokenSecretRef: { name: "cloud-token" },
      sharing: { namespaces: ["guest"], accountWide: ["guest"] },
    });
}

/** As the namespace controller does it: everything is asked to go, in no order that anybody may rely on. */
function deleteNamespace(stage: Stage): void {
  const { cluster } = stage.world;
  const all: KubeObject[] = [...resources.values()].flatMap((resource) => cluster.objects.list(resource));
  const secrets = cluster.objects.list({
    group: "",
    version: "v1",
    plural: "secrets",
    kind: "Secret",
    namespaced: true,
  });
  for (const object of [...secrets, ...all])
    if (object.metadata.namespace === "default" && cluster.get(object.kind, object.metadata.name))
      beginDelete(stage, object)();
}

/** Where something else goes wrong, nothing follows from how long somebody waits. */
function isTroubled({ life }: Stage): boolean {
  return (
    life.commands.some(
      (command) =>
        !["create", "pass", "edit", "rename", "delete", "slowTenant"].includes(command.do) ||
        ("adopts" in command && command.adopts !== undefined) ||
        ("forged" in command && command.forged !== undefined),
    ) || life.lagMs > 0
  );
}
