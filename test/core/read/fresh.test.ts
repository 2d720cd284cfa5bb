import { describe, expect, it } from "vitest";
import type { KubeClient, KubeObject, Resource } from "../../../src/cluster/types.ts";
import { anew, createFreshReads, recentReads } from "../../../src/core/read/fresh.ts";
import { createWorldClock } from "../../world/clock.ts";

const accounts: Resource = { group: "g", version: "v1", plural: "accounts", kind: "Account", namespaced: true };
const ref = { namespace: "shop", name: "default" };

/** Reads that the test answers. */
function opened() {
  const clock = createWorldClock();
  const asked: ReturnType<typeof Promise.withResolvers<KubeObject | undefined>>[] = [];
  const get = () => {
    const answer = Promise.withResolvers<KubeObject | undefined>();
    asked.push(answer);
    return answer.promise;
  };
  const fresh = createFreshReads({ kube: { get } as unknown as KubeClient, clock });
  return { clock, asked, fresh, read: () => fresh.get(accounts, ref, recentReads(clock)) };
}

describe("reads of the API server", () => {
  it("one read serves every request of a tenth of a second, in flight and after its answer", async () => {
    const { clock, asked, read } = opened();
    const first = read();
    await clock.advance(90);
    const second = read();
    asked[0]?.resolve(undefined);
    await Promise.all([first, second]);
    await clock.advance(100);
    await read();
    expect(asked).toHaveLength(1);
    await clock.advance(1);
    void read();
    expect(asked).toHaveLength(2);
  });

  it("a request does not wait for a read that began more than a tenth of a second before", async () => {
    const { clock, asked, read } = opened();
    void read();
    await clock.advance(101);
    void read();
    expect(asked).toHaveLength(2);
  });

  it("an answered read does not serve a request that wants all facts from the same time", async () => {
    const { clock, asked, fresh, read } = opened();
    const first = read();
    asked[0]?.resolve(undefined);
    await first;
    void fresh.get(accounts, ref, anew(clock));
    void fresh.get(accounts, ref, anew(clock));
    expect(asked).toHaveLength(2);
  });

  it("an error is told to the requests that wait, and the next one asks again", async () => {
    const { asked, read } = opened();
    const both = Promise.allSettled([read(), read()]);
    asked[0]?.reject(new Error("no answer"));
    expect((await both).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    void read();
    expect(asked).toHaveLength(2);
  });

  it("an answer tells when it came, which is later than when it was asked for", async () => {
    const { clock, asked, read } = opened();
    const answer = read();
    await clock.advance(40);
    asked[0]?.resolve(undefined);
    expect((await answer).at).toBe(clock.now());
  });
});
