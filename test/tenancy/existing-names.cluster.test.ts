import { afterAll, beforeAll, expect, test } from "vitest";
import { lines } from "./support/cloud.ts";
import { startInstallation } from "./support/installation.ts";
import type { Installation } from "./support/installation.ts";
import { smallInstance } from "./support/orders.ts";
import type { Stage } from "./support/stage.ts";
import { verdictOf } from "./support/verdict.ts";

/** Names of cloud objects in the spec of a namespace that may use the account and not its existing objects. */
let installation: Installation;
beforeAll(async () => {
  installation = await startInstallation();
});
afterAll(() => installation.stop());

const vlan = { purpose: "vlan", label: "shop-private" };
const volumeID = 60_017;
const stackScriptID = 770_031;

/** Uploads an image without the operator, and returns the ID. */
async function privateImage({ cloud }: Stage): Promise<string> {
  const { image } = await cloud.byHand("POST", "/images/upload", { label: "payroll-server", region: "us-east" });
  const { id } = image as { id: string };
  installation.simulator.control.change("image", id, { status: "available", size: 1_000 }, cloud.account);
  return id;
}

/** Makes an instance of shop that is connected to the VLAN `shop-private`. */
async function vlanOfShop({ shop }: Stage): Promise<void> {
  const interfaces = [{ purpose: "public" }, { ...vlan, ipamAddress: "10.0.0.1/24" }];
  await shop.editor.apply(shop.object("ComputeInstance", "database", { ...smallInstance, interfaces }));
  await shop.ready("ComputeInstance", "database");
}

/** Makes an instance of team-b for the objects that are part of an instance. */
async function instanceOfTeamB({ teamB }: Stage): Promise<void> {
  await teamB.editor.apply(teamB.object("ComputeInstance", "host", smallInstance));
  await teamB.ready("ComputeInstance", "host");
}

interface Foreign {
  what: string;
  reason: string;
  kind: string;
  spec: object;
  prepare?: (stage: Stage) => Promise<void>;
  /** Text that only a request with the foreign name contains. */
  named: string;
}

const foreign: Foreign[] = [
  {
    what: "a VLAN",
    reason: "an interface in it reaches the instances of shop",
    kind: "ComputeInstance",
    spec: { ...smallInstance, interfaces: [{ purpose: "public" }, { ...vlan, ipamAddress: "10.0.0.66/24" }] },
    prepare: vlanOfShop,
    named: vlan.label,
  },
  {
    what: "a volume, in a configuration profile",
    reason: "the instance reads and writes the volume after the next boot",
    kind: "ComputeConfig",
    spec: { instanceRef: { name: "host" }, devices: { sda: { volumeID } } },
    prepare: instanceOfTeamB,
    named: String(volumeID),
  },
  {
    what: "a volume, in the rescue action",
    reason: "the rescue system reads and writes the volume",
    kind: "ComputeAction",
    spec: { instanceRef: { name: "host" }, action: "Rescue", rescueVolumeIDs: [String(volumeID)] },
    prepare: instanceOfTeamB,
    named: String(volumeID),
  },
  {
    what: "a StackScript",
    reason: "a script can contain secrets",
    kind: "ComputeInstance",
    spec: { ...smallInstance, stackScript: { id: stackScriptID } },
    named: String(stackScriptID),
  },
];

test.concurrent.each(foreign)(
  "team-b gets NotShared and no request names the cloud object, if a $kind names $what of the account: $reason",
  async ({ kind, spec, prepare, named }) => {
    const stage = await installation.stage();
    const { teamB, cloud } = stage;
    await prepare?.(stage);
    const mark = cloud.mark();
    const taker = teamB.object(kind, "taker", spec);
    await teamB.editor.apply(taker);
    const verdict = await verdictOf(teamB, taker);
    const sent = cloud.changes(mark).filter(({ path, body }) => `${path} ${body}`.includes(named));
    expect(lines(sent)).toEqual([]);
    expect(verdict).toMatchObject({ type: "Stalled", reason: "NotShared" });
  },
);

test.concurrent.each(["ComputeInstance", "ComputeDisk"])(
  "team-b gets NotShared and no request names the image, if a %s deploys a private image of the account",
  async (kind) => {
    const stage = await installation.stage();
    const { teamB, cloud } = stage;
    const image = await privateImage(stage);
    if (kind === "ComputeDisk") await instanceOfTeamB(stage);
    const mark = cloud.mark();
    const spec = kind === "ComputeDisk" ? { instanceRef: { name: "host" }, sizeMB: 2_000 } : smallInstance;
    const taker = teamB.object(kind, "taker", { ...spec, image });
    await teamB.editor.apply(taker);
    const verdict = await verdictOf(teamB, taker);
    expect(lines(cloud.changes(mark).filter(({ body }) => body.includes(image)))).toEqual([]);
    expect(verdict).toMatchObject({ type: "Stalled", reason: "NotShared" });
  },
);

test.concurrent("the refusal of an unknown image shows team-b no private image of the account", async () => {
  const stage = await installation.stage();
  const { teamB } = stage;
  const image = await privateImage(stage);
  const names = ["private/999999", "compute/debian-of-tomorrow", image.replace("private", "compute")];
  const objects = names.map((name, index) =>
    teamB.object("ComputeInstance", `unknown-${index}`, { ...smallInstance, image: name }),
  );
  await teamB.editor.apply(...objects);
  const verdicts = await Promise.all(objects.map((object) => verdictOf(teamB, object)));
  expect(verdicts.map(({ type }) => type)).toEqual(["Stalled", "Stalled", "Stalled"]);
  for (const { message } of verdicts) {
    expect(message).not.toContain(image);
    expect(message).not.toContain("payroll-server");
  }
});

test.concurrent("team-b deploys a private image of the account if sharing.existing permits existing objects", async () => {
  const stage = await installation.stage();
  const { teamB, cloud, admin, account } = stage;
  const image = await privateImage(stage);
  const namespaces = [teamB.namespace];
  await admin.patch(account, { spec: { sharing: { namespaces, existing: namespaces } } });
  const taker = teamB.object("ComputeInstance", "taker", { ...smallInstance, image });
  await teamB.editor.apply(taker);
  expect(await verdictOf(teamB, taker)).toMatchObject({ type: "Ready" });
  expect(cloud.rows("instance")).toMatchObject([{ image }]);
});
