import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import type { KubeObject } from "../../src/cluster/types.ts";
import { startInstallation, system } from "./support/installation.ts";
import type { Installation } from "./support/installation.ts";
import { publicKey, smallInstance, zone } from "./support/orders.ts";
import { verdictOf } from "./support/verdict.ts";

/** The largest objects of a tenant, next to the work of another tenant. */
let installation: Installation;
beforeAll(async () => {
  installation = await startInstallation();
});
beforeEach(() => installation.restart());
afterAll(() => installation.stop());

const leases = { group: "coordination.k8s.io", version: "v1", plural: "leases", kind: "Lease", namespaced: true };

/** Holder of the Lease and number of changes of the holder. */
async function leadership(): Promise<unknown> {
  const lease = await installation.admin.kube.get(leases, { namespace: system, name: "cloud-platform-operator" });
  return { holder: lease?.spec?.["holderIdentity"], transitions: lease?.spec?.["leaseTransitions"] };
}

/** A name, a long gap and a value, for a pattern that reads `name: value` with backtracking. */
function namedValue(bytes: number): string {
  return `a:${" ".repeat(bytes - 5)}x\ry`;
}

/** Lines of text without a repeated part. */
function lines(bytes: number): string {
  let text = "#cloud-config\n";
  for (let index = 0; text.length < bytes; index += 1) text += `# line ${index} of the user data: ${index * 7_919}\n`;
  return text.slice(0, bytes);
}

interface Load {
  what: string;
  count: number;
  userData?: string;
  spec?: object;
  expected: string;
}

/** The cloud API refuses the type, so the operator searches the refusal for secrets of the request. */
const refusedType = { ...smallInstance, type: "g6-no-such-type" };
const keys = Array.from({ length: 100 }, (_, index) => `${publicKey} ${`key-${index}-`.padEnd(4_000, "0123456789")}`);

const loads: Load[] = [
  { what: "700 KB of user data", count: 30, userData: lines(700_000), expected: "InvalidSpec" },
  { what: "256 KB of user data with a long gap", count: 1, userData: namedValue(262_144), expected: "InvalidSpec" },
  { what: "one byte too much of user data", count: 1, userData: lines(65_537), expected: "InvalidSpec" },
  // The cloud API permits ten creations of instances in 30 seconds, and the operator sends no more.
  { what: "the largest user data, with a long gap", count: 10, userData: namedValue(65_536), expected: "Refused" },
  { what: "a hundred authorized keys of 4 KB", count: 3, spec: { authorizedKeys: keys }, expected: "Refused" },
];

test.each(loads)(
  "if $count objects have $what, the operator keeps its Lease, serves another tenant and reports $expected",
  async ({ count, userData, spec = {}, expected }) => {
    const { shop, cloud, admin, secret } = await installation.stage();
    const other = await installation.stage();
    const operator = installation.operator();
    const before = await leadership();
    const author = userData === undefined ? shop.editor : admin;
    if (userData !== undefined) await admin.apply(secret(shop, "large", { "user-data": userData }));
    const userDataSecretRef = userData === undefined ? {} : { userDataSecretRef: { name: "large" } };
    const objects = Array.from({ length: count }, (_, index) =>
      shop.object("ComputeInstance", `vm-${index}`, { ...refusedType, ...spec, ...userDataSecretRef }),
    );
    onTestFinished(() => Promise.all(objects.map((object) => admin.remove(object))).then(() => undefined));
    await Promise.all(objects.map((object) => author.apply(object)));
    const first = other.teamB.object("Domain", "first", zone(`first-${cloud.account}.example`));
    await other.teamB.editor.apply(first);
    const ended = operator.ended.then((reason) => `the operator ${reason}`);
    expect(await Promise.race([ended, verdictOf(other.teamB, first, 60_000)])).toMatchObject({ type: "Ready" });
    const verdicts = Promise.all(objects.map((object) => verdictOf(shop, object, 60_000)));
    const reasons = await Promise.race([ended, verdicts.then((all) => [...new Set(all.map(({ reason }) => reason))])]);
    expect(reasons).toEqual([expected]);
    expect(await leadership()).toEqual(before);
    expect(installation.operator().pid).toBe(operator.pid);
    expect(shownIn(await Promise.all(objects.map((object) => admin.get(object))))).not.toContain("0123456789012");
  },
);

function shownIn(objects: (KubeObject | undefined)[]): string {
  return JSON.stringify(objects.map((object) => object?.status));
}
