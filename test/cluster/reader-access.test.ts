/** However many tokens are shown, and however slow the API server is: few are asked about, and nobody reads in the meantime. */
import { expect, it } from "vitest";
import { createReaderAccess } from "../../src/cluster/reader-access.ts";
import type { Verdict } from "../../src/cluster/reader-access.ts";
import type { TransportRequest } from "../../src/cluster/transport.ts";

interface Asked {
  request: TransportRequest;
  answer: (status: object) => void;
  fail: (error: Error) => void;
}

function scene() {
  const asked: Asked[] = [];
  let ms = 0;
  const transport = {
    request: (request: TransportRequest) =>
      new Promise<unknown>((resolve, reject) => {
        asked.push({ request, answer: (status) => resolve({ status }), fail: reject });
      }),
  };
  const access = createReaderAccess({ transport, clock: { now: () => ms }, path: "/metrics" });
  const next = async (): Promise<Asked> => {
    await expect.poll(() => asked.length).toBeGreaterThan(0);
    return asked.shift()!;
  };
  const allow = async (): Promise<void> => {
    (await next()).answer({ authenticated: true, user: { username: "prometheus" } });
    (await next()).answer({ allowed: true });
  };
  return { access, asked, next, allow, pass: (by: number) => void (ms += by) };
}

it("one token that is shown many times at once is asked about once", async () => {
  const { access, asked, allow } = scene();
  const all = Array.from({ length: 100 }, () => access("good"));
  expect(asked).toHaveLength(1);
  await allow();
  expect(new Set(await Promise.all(all))).toEqual(new Set<Verdict>(["allowed"]));
});

it("of many tokens at once a few are asked about, and the others are refused without being asked about", async () => {
  const { access, asked } = scene();
  const all = Array.from({ length: 500 }, (_, n) => access(`bad-${n}`).catch((error: unknown) => error));
  expect(asked.length).toBeLessThanOrEqual(10);
  for (const { answer } of asked) answer({ authenticated: false });
  const verdicts = await Promise.all(all);
  expect(verdicts.filter((one) => one instanceof Error)).toHaveLength(500 - asked.length);
  expect(verdicts).not.toContain("allowed");
  asked.length = 0;
  const later = access("bad-499");
  asked.shift()?.answer({ authenticated: false });
  expect(await later).toBe("unknown");
});

it("who was allowed before is asked about while strangers take all places, and is remembered through thousands of them", async () => {
  const { access, asked, next, allow, pass } = scene();
  const first = access("good");
  await allow();
  expect(await first).toBe("allowed");
  for (let n = 0; n < 3_000; n += 1) {
    const verdict = access(`bad-${n}`);
    (await next()).answer({ authenticated: false });
    expect(await verdict).toBe("unknown");
  }
  expect(await access("good")).toBe("allowed");
  expect(asked).toHaveLength(0);
  for (let n = 0; n < 500; n += 1) access(`stranger-${n}`).catch(() => undefined);
  const strangers = asked.splice(0).length;
  expect(strangers).toBeGreaterThan(0);
  pass(60_000);
  const again = access("good");
  await allow();
  expect(await again).toBe("allowed");
});

it("a token that was revoked reads nothing more after a minute, and is a stranger then", async () => {
  const { access, next, allow, pass } = scene();
  const first = access("good");
  await allow();
  expect(await first).toBe("allowed");
  pass(59_999);
  expect(await access("good")).toBe("allowed");
  pass(1);
  const again = access("good");
  (await next()).answer({ authenticated: false });
  expect(await again).toBe("unknown");
});

it("an API server that fails or is slow allows nobody, is asked again the next time, and has an end before scrapers give up", async () => {
  const { access, next, allow } = scene();
  const first = access("good");
  const { request, fail } = await next();
  expect(request.deadlineMs).toBeLessThanOrEqual(5_000);
  fail(new Error("no response in time"));
  await expect(first).rejects.toThrow("no response in time");
  const again = access("good");
  await allow();
  expect(await again).toBe("allowed");
});
