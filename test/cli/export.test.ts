import { existsSync, mkdirSync, readdirSync, readFileSync, watch } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { parseAllDocuments } from "yaml";
import { startSimulator } from "../../src/simulator/simulator.ts";
import type { Simulator } from "../../src/simulator/simulator.ts";
import { addCanaries, callerOf, furnishAccount } from "./furnished.ts";
import { accountFlags, folderOfTest, runCli } from "./run.ts";

let simulator: Simulator;
let furnishing: Promise<void> | undefined;

beforeAll(async () => {
  simulator = await startSimulator({ timeScale: 6000 });
});
afterAll(() => simulator.close());

interface Manifest {
  kind: string;
  metadata: { name: string };
  spec: Record<string, unknown>;
}

async function exported(...args: string[]) {
  await (furnishing ??= furnishAccount(simulator));
  const { code, out, err } = await runCli(["export", ...args, ...accountFlags(simulator)]);
  const objects = parseAllDocuments(out).map((one) => one.toJS() as Manifest);
  return { code, out, err, objects, names: objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`) };
}

/** Arms a fault for the test. */
function fault(given: Parameters<Simulator["control"]["faults"]["add"]>[0]): void {
  simulator.control.faults.add(given);
  onTestFinished(() => simulator.control.faults.clear());
}

describe("export", () => {
  it("numbers equal names by ID, and keeps a name that another label has", async () => {
    const { objects } = await exported("ComputeInstance");
    const named = objects.map(({ metadata, spec }) => [metadata.name, spec["label"]]);
    expect(named).toEqual([
      ["web", undefined],
      ["web-1002", "WEB"],
      ["web-1002-1003", "web-1002"],
    ]);
  }, 60_000);

  it("writes references by ID to cloud objects that it does not export", async () => {
    const { objects } = await exported("ComputeDisk");
    expect(objects[0]?.spec).toMatchObject({ instanceRef: { id: "1001" } });
  });

  it("exports one cloud object by its ID, under the same name as with all others", async () => {
    const { names } = await exported("ComputeInstance", "1003");
    expect(names).toEqual(["ComputeInstance/web-1002-1003"]);
  });

  it("omits defaults, and writes them with --full", async () => {
    const [short] = (await exported("Firewall")).objects;
    const [full] = (await exported("Firewall", "--full")).objects;
    expect(short?.spec).not.toHaveProperty("enabled");
    expect(full?.spec).toMatchObject({ enabled: true, outbound: [] });
  });

  it.each([
    [["export"], "name a kind, such as export Domain, or use --all"],
    [["export", "Doman"], "no kind has the name Doman. Use one of: BetaEnrollment"],
    [["export", "SecurityQuestions"], "SecurityQuestions cannot be exported: the cloud API does not show the answers"],
    [["export", "Domain", "99"], "Domain 99 does not exist in the account"],
  ])("%j fails with the next step", async (args, message) => {
    const { code, out, err } = await runCli([...args, ...accountFlags(simulator)]);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toContain(message);
  });

  it.each([
    [
      "a list that fails",
      { kind: "status", status: 500, path: "/networking/firewalls" },
      /Firewall in \/networking\/firewalls: .*500/,
    ],
    [
      "a forbidden list",
      { kind: "status", status: 403, path: "/object-storage/keys" },
      /ObjectStorageKey in .*scope or the grant/,
    ],
    [
      "a page that never ends",
      { kind: "empty", path: "/domains/1/records" },
      /DomainRecord in \/domains\/1\/records: /,
    ],
    [
      "a detail that fails",
      { kind: "status", status: 500, path: "/networking/firewalls/*/devices" },
      /Firewall 1: the fields from .*devices/,
    ],
  ] as const)("with %s exports everything else, names the failure, and exits with 1", async (_, given, message) => {
    const whole = await exported("--all");
    fault(given);
    const { code, names, err } = await exported("--all");
    expect(code).toBe(1);
    expect(err).toMatch(message);
    const [, missing = ""] = /not exported: (\w+)/.exec(err) ?? [];
    const others = whole.names.filter((name) => !name.startsWith(`${missing}/`));
    expect(names.filter((name) => !name.startsWith(`${missing}/`))).toEqual(others);
    expect(others.length).toBeGreaterThan(20);
  });

  it("with an unreadable row exports the other rows, names the row, and exits with 1", async () => {
    await exported("Domain");
    simulator.control.change("record", 3, { type: null });
    onTestFinished(() => simulator.control.change("record", 3, { type: "A" }));
    const { code, err, names } = await exported("DomainRecord");
    expect(code).toBe(1);
    expect(err).toMatch(/not exported: DomainRecord 3: the row cannot be read: type/);
    expect(names).toHaveLength(9);
  });

  it("writes a file for each object in folders by area, and the same bytes again", async () => {
    const folders = [1, 2].map(() => join(folderOfTest(), "out"));
    for (const folder of folders) {
      mkdirSync(folder);
      await exported("--all", "--folder", folder);
    }
    const [first = "", second = ""] = folders;
    const files = filesIn(first);
    expect(Object.keys(files).filter((path) => !path.includes("/"))).toEqual(["SECRETS.txt", "kustomization.yaml"]);
    expect(files["kustomization.yaml"]).toContain("  - compute/computeinstance-web.yaml\n");
    expect(filesIn(second)).toEqual(files);
    expect(Object.keys(files).filter((path) => path.includes("partial"))).toEqual([]);
  });

  it("shows no secret of the account, also after failures", async () => {
    await exported("Domain");
    const canaries = await addCanaries(simulator);
    expect(canaries).toHaveLength(12);
    const folder = join(folderOfTest(), "out");
    fault({ kind: "status", status: 400, reason: `no token ${simulator.token}`, path: "/tags" });
    const runs = [
      await exported("--all", "--full"),
      await runCli(["export", "--all", "--full", "-o", "json", ...accountFlags(simulator)]),
      await exported("--all", "--folder", folder),
      await runCli(["resources", ...accountFlags(simulator)]),
    ];
    const shown = JSON.stringify([runs, filesIn(folder)]);
    expect(shown).toContain("not exported: Tag");
    expect(canaries.filter((one) => shown.includes(one))).toEqual([]);
  });

  it("reads all pages, and each list once", async () => {
    const call = callerOf(simulator);
    await exported("Domain");
    const { id } = await call("POST", "/domains", {
      domain: "large.example",
      type: "master",
      soa_email: "a@b.example",
    });
    onTestFinished(async () => void (await call("DELETE", `/domains/${id}`)));
    for (let at = 0; at < 1_001; at += 1)
      await call("POST", `/domains/${id}/records`, { type: "A", name: `h${at}`, target: "192.0.2.1" });
    const mark = simulator.control.ledger().at(-1)?.id ?? 0;
    const { names } = await exported("DomainRecord");
    expect(names.filter((name) => name.startsWith("DomainRecord/large-example-a-h"))).toHaveLength(1_001);
    const reads = simulator.control.ledger({ sinceId: mark }).map(({ path }) => path);
    expect(reads.filter((path) => path.includes(`/domains/${id}/records`))).toHaveLength(3);
    // The list of domains, and the records of two other domains.
    expect(reads).toHaveLength(3 + 1 + 2);
  }, 60_000);

  it("leaves no file if the user interrupts it", async () => {
    await exported("Domain");
    const folder = join(folderOfTest(), "out");
    const interrupted = new AbortController();
    fault({ kind: "delay", ms: 300, path: "/tags" });
    const running = runCli(["export", "--all", "--folder", folder, ...accountFlags(simulator)], {
      signal: interrupted.signal,
    });
    setTimeout(() => interrupted.abort(new Error("interrupted")), 100);
    expect((await running).code).toBe(130);
    expect(existsSync(folder)).toBe(false);
  });

  it("has removed its temporary files when an interruption ends it", async () => {
    await exported("Domain");
    const above = folderOfTest();
    const interrupted = new AbortController();
    const watcher = watch(above, () => interrupted.abort(new Error("interrupted")));
    onTestFinished(() => watcher.close());
    const { code } = await runCli(["export", "--all", "--folder", join(above, "out"), ...accountFlags(simulator)], {
      signal: interrupted.signal,
    });
    expect(code).toBe(130);
    expect(readdirSync(above)).toEqual([]);
  });
});

function filesIn(folder: string): Record<string, string> {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  const files = paths.map(({ parentPath, name }) => join(parentPath, name)).toSorted();
  return Object.fromEntries(files.map((path) => [path.slice(folder.length + 1), readFileSync(path, "utf8")]));
}
