/** What is called on an occasion only, which no example of a kind brings about by itself. */
import { refusedValues } from "../../core/send/refused-values.ts";
import type { ContractWorld } from "./contract-test.ts";

export interface Occasion {
  /** The kind that the calls are made for. */
  kind: string;
  title: string;
  run: (world: ContractWorld) => Promise<void>;
}

const refusals = refusedValues.map(({ kind, spec, says, before }): Occasion => ({
  kind,
  title: `a value is refused: ${says}`,
  async run(world) {
    await before?.(world);
    world.simulator.control.clearLedger();
    await world.apply(world.object(kind, "refused", spec));
    await world.condition(kind, "refused", "Stalled", "Refused");
  },
}));

export const occasions: Occasion[] = [
  ...refusals,
  {
    kind: "BetaEnrollment",
    title: "an enrollment is not in the list any more",
    async run(world) {
      const { control } = world.simulator;
      await world.apply(world.object("BetaEnrollment", "fast-disks", { program: "fast-disks" }));
      await world.ready("BetaEnrollment", "fast-disks");
      control.clearLedger();
      control.remove("enrollment", "fast-disks");
      const asks = () => control.ledger({ method: "POST", path: "/v4/account/betas" }).length;
      await world.until("BetaEnrollment", "fast-disks", () => asks() > 0);
    },
  },
  {
    kind: "Profile",
    title: "the user is restricted",
    async run(world) {
      const global = { add_domains: true };
      world.simulator.control.changeUser("demo", {
        restricted: true,
        grants: { account_access: "read_write", global, entities: {} },
      });
      await world.apply(world.object("Profile", "own", { timezone: "Europe/Vienna" }));
      await world.until("Profile", "own", ({ status }) => status?.["grants"] !== undefined);
    },
  },
  {
    kind: "AccessPolicy",
    title: "a login is to be kept",
    async run(world) {
      const [login] = (await world.stranger.list("/profile/logins")) as { id: number }[];
      await world.apply(world.object("AccessPolicy", "audit", { keepLogins: [String(login?.id)] }));
      await world.until("AccessPolicy", "audit", ({ status }) => status?.["keptLogins"] !== undefined);
    },
  },
  {
    kind: "ObjectStorageKey",
    title: "a bucket is not there",
    async run(world) {
      const bucketAccess = [{ bucketRef: { id: "us-east-1/medai" }, permissions: "read_only" }];
      await world.apply(world.object("ObjectStorageKey", "reader", { bucketAccess }));
      await world.condition("ObjectStorageKey", "reader", "Stalled", "InvalidSpec");
    },
  },
  {
    kind: "Image",
    title: "an image waits for data that somebody else sends",
    async run(world) {
      await world.apply(world.object("Image", "golden", { source: { handOff: { region: "us-east" } } }));
      await world.condition("Image", "golden", "Reconciling", "WaitingForUpload");
    },
  },
];
