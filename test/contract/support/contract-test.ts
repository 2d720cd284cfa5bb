import { test } from "vitest";
import { resourceOf } from "../../../src/core/kind/resource.ts";
import { cloudAccount } from "../../../src/kinds/account/cloud-account.ts";
import type { OperatorOptions } from "../../../src/operator.ts";
import type { SimulatorOptions } from "../../../src/simulator/simulator.ts";
import { sharedControlPlane } from "../../support/control-plane.ts";
import type { ControlPlane } from "../../support/control-plane.ts";
import { accountObjects, startWorld } from "../../support/world.ts";
import type { World } from "../../support/world.ts";
import { furnish } from "./furnish.ts";
import { createStranger } from "./stranger.ts";
import type { Stranger } from "./stranger.ts";

export const secrets = { group: "", version: "v1", plural: "secrets", kind: "Secret", namespaced: true };

/** A world with somebody else in it. */
export interface ContractWorld extends World {
  cluster: ControlPlane;
  stranger: Stranger;
  /** How often the operator has reconciled a key, `Kind/namespace/name`. */
  looks: (key: string) => number;
}

/** A test with a world of its own. Worlds share nothing but the control plane, so tests may run at the same time. */
export const contractTest = testIn({});

/** …in a world where even what nothing tells of, and no list shows, is read every few seconds. */
export const watchfulTest = testIn({ resyncMs: 2_000 });

/** …in a world where a creation may take long: what a restored object takes for its own must be of its time. */
export const patientTest = testIn({ settle: { freeMs: 10_000, billableMs: 10_000 } });

function testIn(operator: Partial<OperatorOptions>) {
  return test.extend<{ world: ContractWorld }>({
    // oxlint-disable-next-line no-empty-pattern -- vitest reads the fixture's needs from this pattern
    world: async ({}, use) => {
      const world = await startContractWorld(sharedControlPlane(), { operator });
      await use(world);
      await world.stop();
    },
  });
}

/** Starts a world with what examples suppose of its cloud. */
export async function startContractWorld(
  cluster: ControlPlane,
  options: { simulator?: SimulatorOptions; operator?: Partial<OperatorOptions> } = {},
): Promise<ContractWorld> {
  const looks = new Map<string, number>();
  const handled = ({ key }: { key: string }): void => void looks.set(key, (looks.get(key) ?? 0) + 1);
  const operator = { allowAccountActions: true, ...options.operator, measures: { handled } };
  const world = await startWorld(cluster, { ...options, operator, account: false, start: false });
  await createAccount(world);
  await world.restartOperator();
  await furnish(world.simulator);
  // A first reconcile of an account wakes its objects once more: not in the middle of a test.
  await world.ready("CloudAccount", "default");
  return { ...world, cluster, stranger: createStranger(world.simulator), looks: (key) => looks.get(key) ?? 0 };
}

/** Without kubectl, which costs more than the rest of a world. */
async function createAccount({ kube, namespace, simulator }: World): Promise<void> {
  const [secret = {}, account = {}] = accountObjects(namespace, simulator.token) as Record<string, unknown>[];
  await kube.create(secrets, secret);
  await kube.create(resourceOf(cloudAccount), account);
}
