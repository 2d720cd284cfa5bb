/**
 * The service changes what it answers: of every answer and every row one field after the other is null, missing, another
 * type or a new word, for one object of each kind at once. Nothing is made, deleted, rebuilt or sent without end.
 */
import { expect, onTestFinished, test } from "vitest";
import { sharedControlPlane } from "../support/control-plane.ts";
import { startContractWorld } from "../contract/support/contract-test.ts";
import { allReady, applyEverything } from "../contract/support/everything.ts";
import { untilTrue } from "./support/fleet.ts";
import { startOddProxy } from "./support/odd-proxy.ts";

/** `CAMPAIGN_LIVES` sets how many forms each answer is shown in, spread evenly over all that it has. */
const rounds = Number(process.env["CAMPAIGN_LIVES"] ?? 30);

const pollMs = 400;

/** What is not read by then is read in another round: no list is read more seldom, but for one that cannot be read. */
const roundMs = 2_500;

/** Each may be sent for an odd form: it sets a field, or adds what the spec asks for. */
const harmless =
  /^(PUT .*|POST \S+\/(access|assign|backups\/enable|devices|object-url|security-questions|share)( .*)?)$/;

const resyncMs = 5 * pollMs;

/** A correction that is undone is repeated at once five times, then after half a resync at the soonest. */
const mostIn = (ms: number): number => 6 + Math.ceil(ms / (resyncMs * 0.4));

test(
  "one object of each kind lives with odd forms of every answer",
  { timeout: rounds * 10_000 + 180_000 },
  async () => {
    const world = await startContractWorld(sharedControlPlane(), { simulator: { timeScale: 6_000 } });
    const proxy = await startOddProxy(world.simulator.url);
    onTestFinished(async () => {
      await world.stop();
      await proxy.close();
    });
    const errors: object[] = [];
    const none = () => undefined;
    const log = {
      debug: none,
      info: none,
      warn: none,
      error: (fields: object, text: string) => errors.push({ text, fields }),
    };
    const endpoints = [{ name: "default", url: proxy.url, requestsInTwoMinutes: 1_000_000 }];
    const options = { endpoints, log, pollMs, feedMs: pollMs, resyncMs };
    await world.restartOperator(options);
    await applyEverything(world, 60_000);
    const { control } = world.simulator;
    const before = idsOf(control.snapshot());
    const wrong: string[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const sinceId = control.ledger({ last: 1 })[0]?.id ?? 0;
      // A service that changes shows the same in its answers to changes; something between here and it may not.
      proxy.show({ share: round / rounds, answers: round % 2 === 1 });
      const began = performance.now();
      await untilTrue("the round ends", () => performance.now() > began + roundMs, 2 * roundMs);
      const sent = control.ledger({ sinceId, mutating: true }).filter(({ token }) => token !== "stranger");
      const calls = sent.map(
        ({ method, path, body }) => `${method} ${path.replace(/^\/v4(beta)?/, "")}${addressesIn(body)}`,
      );
      const most = mostIn(performance.now() - began);
      const bad = [...new Set(calls)].filter((call) => !harmless.test(call) || countOf(calls, call) > most);
      wrong.push(...bad.map((call) => `${countOf(calls, call)} x ${call}, of ${aboutOf(call, proxy.shown())}`));
      expect(wrong).toEqual([]);
    }
    expect(proxy.shown().size).toBeGreaterThan(25);
    proxy.show(undefined);
    // What could not be read for a while is read again within five minutes, or at once after a restart.
    await world.restartOperator(options);
    await allReady(world, 60_000);
    expect(idsOf(control.snapshot())).toEqual(before);
    expect(errors).toEqual([]);
  },
);

/** Several objects assign addresses by one path. */
function addressesIn(body: string): string {
  const addresses = /"address":"[^"]+"/g;
  return (body.match(addresses) ?? []).map((address) => ` ${address}`).join("");
}

function countOf(calls: string[], call: string): number {
  return calls.filter((one) => one === call).length;
}

/** What was odd of what the call is about. */
function aboutOf(call: string, shown: ReadonlyMap<string, string>): string {
  const [, path = ""] = call.split(" ");
  const about = [...shown].filter(([read]) => path.startsWith(read) || read.startsWith(path));
  return (about.length > 0 ? about : [...shown]).map(([read, what]) => `${read} ${what}`).join("; ");
}

/** Books that the service keeps for itself. */
const books = new Set(["job", "event", "login"]);

function idsOf({ rows }: { rows: { table: string; id: string }[] }): string[] {
  return rows.flatMap(({ table, id }) => (books.has(table) ? [] : [`${table} ${id}`])).toSorted();
}
