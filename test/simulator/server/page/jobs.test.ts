import { expect, test } from "vitest";
import { DEBIAN, running } from "../../running.ts";
import type { Running } from "../../running.ts";

const DATABASE = { label: "data", engine: "mysql/8.0.35", region: "us-east", type: "g6-nanode-1" };

/** The text of the part of the page that lists jobs. */
async function jobs(simulator: Running): Promise<string> {
  const credentials = Buffer.from(`me:${simulator.controlToken}`).toString("base64");
  const answer = await fetch(`${simulator.url}/_simulator/`, { headers: { Authorization: `Basic ${credentials}` } });
  const [, part = ""] = /<h2 id="jobs">([\s\S]*?)<h2 id="writes">/.exec(await answer.text()) ?? [];
  return part.replaceAll(/<[^>]+>/g, " ").replaceAll(/\s+/g, " ");
}

test("the root sends people to the page", async () => {
  const simulator = await running();
  const answer = await fetch(simulator.url, { redirect: "manual" });
  expect([answer.status, answer.headers.get("location")]).toEqual([302, "/_simulator/"]);
});

test("jobs of things that are gone are not listed", async () => {
  const simulator = await running();
  await simulator.ok("POST", "/databases/mysql/instances", DATABASE);
  await simulator.ok("POST", "/compute/instances", DEBIAN);
  await simulator.clock.advance(3_600_000);
  expect(await jobs(simulator)).toContain("database_daily_backup");
  await simulator.ok("DELETE", "/databases/mysql/instances/101");
  await simulator.ok("POST", "/compute/instances/1001/reboot");
  expect(await jobs(simulator)).toContain("compute_reboot");
  simulator.control.remove("instance", 1001);
  expect(await jobs(simulator)).toMatch(/No job is planned/);
});

test("moments of a job are shown as times, and its inner numbers are not", async () => {
  const simulator = await running();
  await simulator.ok("POST", "/databases/mysql/instances", DATABASE);
  await simulator.clock.advance(3_600_000);
  expect(await jobs(simulator)).toMatch(/database_maintenance demo database 101 at 2026-01-04 00:00:00 UTC/);
});
