import { parse } from "yaml";
import { beforeAll, afterAll, describe, expect, it } from "vitest";
import { startSimulator } from "../../src/simulator/simulator.ts";
import type { Simulator } from "../../src/simulator/simulator.ts";
import { accountFlags, runCli } from "./run.ts";

let simulator: Simulator;

beforeAll(async () => {
  simulator = await startSimulator({ timeScale: 600 });
  await post("/compute/instances", { region: "us-east", type: "g6-nanode-1", label: "web-1" });
  await post("/domains", { domain: "example.org", type: "master", soa_email: "a@example.org" });
});
afterAll(() => simulator.close());

async function post(path: string, body: object): Promise<void> {
  const headers = { authorization: `Bearer ${simulator.token}`, "content-type": "application/json" };
  const answer = await fetch(`${simulator.url}/v4${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  expect(answer.status, await answer.text()).toBe(200);
}

describe("resources", () => {
  it("lists cloud objects with their prices, and says that managers are unknown without a cluster", async () => {
    const { code, out, err } = await runCli(["resources", ...accountFlags(simulator)]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toMatch(/^LIST +ID +LABEL +REGION +TYPE +MONTHLY +MANAGED BY\n/);
    expect(out).toMatch(/instances +\d+ +web-1 +us-east +g6-nanode-1 +\$5\.00 +unknown\n/);
    expect(out).toMatch(/domains +\d+ +example\.org/);
  });

  it("lists only priced cloud objects with --cost, and prints the sum to stderr", async () => {
    const { out, err } = await runCli(["resources", "--cost", ...accountFlags(simulator)]);
    expect(out.trim().split("\n")).toHaveLength(2);
    expect(err).toBe("$5.00 per month for 1 cloud objects\n");
  });

  it.each([
    ["json", (text: string) => JSON.parse(text) as unknown],
    ["yaml", (text: string) => parse(text) as unknown],
  ])("prints the same items as %s", async (format, read) => {
    const { out } = await runCli(["resources", "--cost", "-o", format, ...accountFlags(simulator)]);
    expect(read(out)).toMatchObject({ items: [{ list: "instances", label: "web-1", monthly: "$5.00" }] });
  });

  it("reports a list that the token cannot read, lists the others, and exits with 1", async () => {
    const token = "limited";
    simulator.control.addToken({ token, username: "demo", scopes: "compute:read_only" });
    const { code, out, err } = await runCli(["resources", ...accountFlags({ ...simulator, token })]);
    expect(code).toBe(1);
    expect(out).toContain("web-1");
    expect(out).not.toContain("example.org");
    expect(err).toMatch(/not listed: domains: the cloud API: GET \/domains .*Give a token with the scope/);
  });

  it("sends no request that changes the account", async () => {
    const before = simulator.control.ledger().length;
    await runCli(["resources", ...accountFlags(simulator)]);
    const sent = simulator.control.ledger().slice(before);
    expect(sent.length).toBeGreaterThan(10);
    expect(sent.filter(({ method }) => method !== "GET")).toEqual([]);
  });
});
