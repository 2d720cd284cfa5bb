import { afterAll, beforeAll, expect, test } from "vitest";
import { untilTrue } from "../campaigns/support/fleet.ts";
import { lines } from "./support/cloud.ts";
import { startInstallation } from "./support/installation.ts";
import type { Installation } from "./support/installation.ts";
import { publicKey, smallInstance, zone } from "./support/orders.ts";
import type { Stage } from "./support/stage.ts";
import { messagesOf, verdictOf } from "./support/verdict.ts";

/** Effects on objects that a custom resource did not create, and messages about objects of another tenant. */
let installation: Installation;
beforeAll(async () => {
  installation = await startInstallation();
});
afterAll(() => installation.stop());

/** Tags an instance and a domain without the operator. */
async function tagByHand({ cloud }: Stage): Promise<void> {
  const tags = ["production"];
  const { region, type } = smallInstance;
  await cloud.byHand("POST", "/compute/instances", { region, type, label: "by-hand", tags });
  const domain = `by-hand-${cloud.account}.example`;
  await cloud.byHand("POST", "/domains", { domain, type: "master", soa_email: `dns@${domain}`, tags });
}

function tagsIn({ cloud }: Stage): unknown[] {
  return [...cloud.rows("instance"), ...cloud.rows("domain")].map(({ tags }) => tags);
}

const empty = { instanceRefs: [], domainRefs: [] };
const adopt = { management: { adopt: { id: "production" } } };

test.concurrent.each([
  { who: "teamB", spec: empty, reason: "another user tagged the instance and the domain" },
  { who: "shop", spec: { ...empty, ...adopt }, reason: "adoption of the tag does not prove who tagged an object" },
] as const)(
  "a Tag with empty lists in $who leaves the tags of an instance and a domain that were tagged by hand: $reason",
  async ({ who, spec }) => {
    const stage = await installation.stage();
    const { cloud, [who]: tenant } = stage;
    await tagByHand(stage);
    const tag = tenant.object("Tag", "production", spec);
    await tenant.editor.apply(tag);
    await verdictOf(tenant, tag);
    expect(tagsIn(stage)).toEqual([["production"], ["production"]]);
    await tenant.editor.remove(tag);
    await tenant.gone("Tag", "production");
    expect(tagsIn(stage)).toEqual([["production"], ["production"]]);
    expect(lines(cloud.changes().filter(({ method }) => method !== "POST"))).toEqual([]);
  },
);

test.concurrent("a Tag with empty lists of team-b leaves the tags alone that another user adds later", async () => {
  const stage = await installation.stage();
  const { teamB, cloud } = stage;
  const tag = teamB.object("Tag", "production", empty);
  await teamB.editor.apply(tag);
  await verdictOf(teamB, tag);
  await tagByHand(stage);
  const mark = cloud.mark();
  const asked = { account: cloud.account, path: "/v4/tags/production", sinceId: mark };
  const policies = ["Orphan", "Delete"];
  // Each change of the policy makes the operator reconcile, with the tagged objects of the last read.
  const reconcile = async (): Promise<boolean> => {
    policies.reverse();
    await teamB.editor.patch(tag, { spec: { management: { deletionPolicy: policies[0] } } });
    const { type } = await verdictOf(teamB, tag);
    return type === "Stalled" || installation.simulator.control.ledger(asked).length > 0;
  };
  await untilTrue("the operator reads the tagged objects again", reconcile, 20_000, 500);
  await reconcile();
  expect(lines(cloud.changes(mark))).toEqual([]);
  expect(tagsIn(stage)).toEqual([["production"], ["production"]]);
});

const accountWide = [
  {
    kind: "BetaEnrollment",
    spec: { program: "fast-disks" },
    path: "/account/betas",
    reason: "the account cannot leave a beta program",
  },
  {
    kind: "SSHKey",
    spec: { sshKey: `${publicKey} mallory` },
    path: "/profile/sshkeys",
    reason: "authorizedUsers of an instance of shop installs every key of the shared user",
  },
];

test.concurrent.each(accountWide)(
  "a $kind of team-b needs sharing.accountWide: $reason",
  async ({ kind, spec, path }) => {
    const { teamB, cloud, admin, account } = await installation.stage();
    const object = teamB.object(kind, "wide", spec);
    await teamB.editor.apply(object);
    const verdict = await verdictOf(teamB, object);
    expect(lines(cloud.naming(path))).toEqual([]);
    expect(verdict).toMatchObject({ type: "Stalled", reason: "NotShared" });
    expect(verdict.message).toContain("accountWide");
    const namespaces = [teamB.namespace];
    await admin.apply({
      ...account,
      spec: { tokenSecretRef: { name: "cloud-token" }, sharing: { namespaces, accountWide: namespaces } },
    });
    await teamB.ready(kind, "wide");
    expect(cloud.naming(path)).toMatchObject([{ method: "POST", status: 200 }]);
  },
);

test.concurrent("team-c cannot find out whether an account exists in another namespace", async () => {
  const { shop, teamC } = await installation.stage();
  const objects = ["default", "absent"].map((name) =>
    teamC.object("Firewall", `asks-${name}`, {
      accountRef: { name, namespace: shop.namespace },
      inboundPolicy: "DROP",
      outboundPolicy: "ACCEPT",
    }),
  );
  await teamC.editor.apply(...objects);
  const answers = await Promise.all(
    ["default", "absent"].map(async (name) => {
      const answered = await teamC.until("Firewall", `asks-${name}`, (found) => messagesOf(found) !== "");
      return messagesOf(answered).replaceAll(`${name} `, "NAME ").replaceAll(`/${name}`, "/NAME");
    }),
  );
  expect(answers[0]).toBe(answers[1]);
});

test.concurrent("a Conflict about a label does not show team-b the object of another tenant", async () => {
  const { shop, teamB, cloud } = await installation.stage();
  const label = `web-${cloud.account}`;
  await shop.editor.apply(shop.object("ComputeInstance", "secret-project", { ...smallInstance, label }));
  await shop.ready("ComputeInstance", "secret-project");
  const domain = `${label}.example`;
  await shop.editor.apply(shop.object("Domain", "secret-launch", zone(domain)));
  await shop.ready("Domain", "secret-launch");
  const objects = [
    teamB.object("ComputeInstance", "web", { ...smallInstance, label }),
    teamB.object("Domain", "web", zone(domain)),
  ];
  await teamB.editor.apply(...objects);
  for (const object of objects) {
    const { type, reason, message } = await verdictOf(teamB, object);
    expect({ type, reason }).toEqual({ type: "Stalled", reason: "Conflict" });
    expect(message).not.toMatch(/secret-project|secret-launch/);
  }
});
