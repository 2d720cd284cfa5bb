/** What is called on an occasion only, which no example of a kind brings about by itself. */
import { refusedValues } from "../../core/refused-values.ts";
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
    kind: "Image",
    title: "an image waits for data that somebody else sends",
    async run(world) {
      await world.apply(world.object("Image", "golden", { source: { handOff: { region: "us-east" } } }));
      await world.condition("Image", "golden", "Reconciling", "WaitingForUpload");
    },
  },
];
