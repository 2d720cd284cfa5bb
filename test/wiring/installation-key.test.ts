import { beforeEach, describe, expect, it } from "vitest";
import { KubeError } from "../../src/cluster/errors.ts";
import { secrets } from "../../src/cluster/secrets.ts";
import type { KubeObject } from "../../src/cluster/types.ts";
import { readOrMakeKey } from "../../src/wiring/installation-key.ts";
import { createFakeClient } from "../cluster/fake-client.ts";
import type { FakeClient } from "../cluster/fake-client.ts";
import { createMovedClock } from "../support/clock.ts";
import type { MovedClock } from "../support/clock.ts";

const ref = { namespace: "cloud-system", name: "the-key" };
let kube: FakeClient;
let clock: MovedClock;
let said: string[];

beforeEach(() => {
  kube = createFakeClient();
  clock = createMovedClock();
  said = [];
});

async function open(client = kube): Promise<Uint8Array> {
  const say = (fields: object, message: string): void => void said.push(`${message} ${JSON.stringify(fields)}`);
  const log = { debug: say, info: say, warn: say, error: say };
  const { bytes } = await readOrMakeKey({ kube: client, clock, log, installationId: "east", ...ref });
  return bytes;
}

const stored = async (): Promise<(KubeObject & { data?: { key?: string } }) | undefined> => kube.get(secrets, ref);
const put = (bytes: number) => {
  const data = { key: Buffer.alloc(bytes, "a").toString("base64") };
  return kube.create(secrets, { apiVersion: "v1", kind: "Secret", metadata: ref, data });
};

describe("the installation's key", () => {
  it("is made at the first start, random, in a Secret that says what it is for and cannot be changed", async () => {
    const key = await open();
    const secret = await stored();
    expect(key).toHaveLength(32);
    expect(new Set(key).size).toBeGreaterThan(8);
    expect(Buffer.from(secret?.data?.key ?? "", "base64")).toEqual(Buffer.from(key));
    expect(secret).toMatchObject({
      immutable: true,
      type: "Opaque",
      metadata: { labels: { "cloudplatform.dev/installation": "east" } },
    });
    expect(JSON.stringify(secret)).toContain("Back up the Secret together with the objects");
  });

  it("is the same at each later start, and nothing is written then", async () => {
    const first = await open();
    kube.calls.length = 0;
    expect(Buffer.from(await open())).toEqual(Buffer.from(first));
    expect(kube.calls).toEqual(["get secrets/the-key"]);
  });

  it("may be a Secret that somebody brought, with more bytes than needed", async () => {
    await put(64);
    expect(await open()).toHaveLength(64);
  });

  it("is one key though two replicas start at once", async () => {
    let other: Promise<Uint8Array> | undefined;
    kube.before = async (call) => {
      if (call === "create secrets/the-key" && other === undefined) await (other = open());
    };
    const first = await open();
    expect(Buffer.from(first)).toEqual(Buffer.from((await other) ?? []));
    expect(kube.calls.filter((call) => call.startsWith("create"))).toHaveLength(2);
  });

  it("is the one that was stored where the response to its creation is lost", async () => {
    let lost = false;
    kube.after = (call) => {
      if (!call.startsWith("create") || lost) return;
      lost = true;
      throw new KubeError("the connection ended", { reason: "ConnectionFailed" });
    };
    const key = open();
    await clock.advance(2_000);
    expect(Buffer.from(await key).toString("base64")).toBe((await stored())?.data?.key);
  });

  it.each([
    { status: undefined, why: "it does not answer" },
    { status: 503, why: "it is starting" },
    { status: 429, why: "it has too much to do" },
    { status: 401, why: "the token is just being replaced" },
  ])("waits for an API server that answers $status: $why", async ({ status }) => {
    let failures = 3;
    kube.before = () => {
      if (failures-- > 0) throw new KubeError("not now", status === undefined ? {} : { status });
    };
    const key = open();
    await clock.advance(1_000 + 2_000);
    expect(said).toHaveLength(3);
    await clock.advance(4_000);
    expect(await key).toHaveLength(32);
    expect(clock.waiting()).toBe(0);
  });

  it("is never logged", async () => {
    const key = Buffer.from(await open());
    expect(said.join()).toContain("back up the Secret");
    for (const form of ["base64", "hex", "utf8"] as const) expect(said.join()).not.toContain(key.toString(form));
  });
});

const forbid = (verb: string) => (call: string) => {
  if (call.startsWith(verb)) throw new KubeError(`User "cpo" cannot ${verb} resource "secrets"`, { status: 403 });
};

describe("what the operator cannot mend is said in one line", () => {
  it.each<{ arrange: () => unknown; says: string[]; why: string }>([
    {
      arrange: () => put(31),
      says: ["cloud-system/the-key has 31 bytes", "at least 32", "Restore the Secret from a backup"],
      why: "a key that is too short to sign with",
    },
    {
      arrange: () => kube.create(secrets, { apiVersion: "v1", kind: "Secret", metadata: ref }),
      says: ['cloud-system/the-key has 0 bytes under "key"'],
      why: "a Secret with other keys",
    },
    {
      arrange: () => (kube.before = forbid("get")),
      says: ["cloud-system/the-key cannot be read", 'Allow "get" of this Secret in the namespace cloud-system'],
      why: "no permission to read it",
    },
    {
      arrange: () => (kube.before = forbid("create")),
      says: [
        "does not exist and cannot be created",
        'Allow "create" of Secrets in the namespace cloud-system',
        "kubectl -n cloud-system create secret generic the-key --from-literal=key=",
      ],
      why: "no permission to create it",
    },
    {
      arrange: () =>
        (kube.before = (call) => {
          if (call.startsWith("create")) throw new KubeError('namespaces "cloud-system" not found', { status: 404 });
        }),
      says: ['cannot be created: namespaces "cloud-system" not found'],
      why: "no such namespace",
    },
  ])("$why", async ({ arrange, says }) => {
    await arrange();
    const message = await open().then(
      () => "it was opened",
      (error: Error) => error.message,
    );
    for (const part of says) expect(message).toContain(part);
    expect(message).not.toContain("\n");
  });
});
