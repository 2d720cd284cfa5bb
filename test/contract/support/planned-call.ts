import { statusOf } from "../../../src/core/kind/object.ts";
import { stageOf } from "./stage.ts";
import type { Stage } from "./stage.ts";

/** The first call that the example asks for, found out by an object that only plans. */
export async function callOf(stage: Stage): Promise<{ method: string; path: string }> {
  const trial = stageOf(stage.world, stage, `${stage.name}-trial`);
  await trial.create({ management: { policy: "Plan" } });
  const planned = await trial.until((one) => statusOf(one).plan !== undefined);
  await trial.remove();
  await trial.gone();
  const [first] = statusOf(planned).plan?.operations ?? [];
  if (!first) throw new Error(`the plan of ${stage.title} is empty`);
  return first;
}
