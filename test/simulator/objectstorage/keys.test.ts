import { expect, test } from "vitest";
import { reasons, running } from "../running.ts";
import { bucket } from "./bucket.ts";

const KEYS = "/object-storage/keys";
const ACCESS = { cluster: "us-east-1", bucket_name: "media", permissions: "read_only" };

test("not-shown section 5: the secret is shown in full only by the creation", async () => {
  const simulator = await running();
  const key = await simulator.ok("POST", KEYS, { label: "app" });
  expect(key).toEqual({
    id: 1,
    label: "app",
    access_key: expect.stringMatching(/^[0-9A-F]{20}$/),
    secret_key: expect.stringMatching(/^[\w-]{40}$/),
    limited: false,
    bucket_access: null,
    regions: [],
  });
  const redacted = { ...key, secret_key: "[REDACTED]" };
  expect((await simulator.ok("GET", KEYS))["data"]).toEqual([redacted]);
  expect(await simulator.ok("GET", `${KEYS}/1`)).toEqual(redacted);
  expect(await simulator.ok("PUT", `${KEYS}/1`, { label: "site" })).toEqual({ ...redacted, label: "site" });
  expect(await simulator.ok("DELETE", `${KEYS}/1`)).toEqual({});
  expect((await simulator.call("GET", `${KEYS}/1`)).status).toBe(404);
});

test.each([
  { bucket_access: [ACCESS], limited: true, why: "limited to what is listed" },
  { bucket_access: [], limited: true, why: "an empty list is no access" },
  { bucket_access: null, limited: false, why: "null means unset: unlimited" },
])("part 3 section 4.1: bucket_access, $why", async ({ bucket_access, limited }) => {
  const simulator = await running();
  await bucket(simulator);
  const key = await simulator.ok("POST", KEYS, { label: "app", bucket_access });
  const shown = bucket_access?.map((access) => ({ ...access, region: "us-east" })) ?? null;
  expect([key["limited"], key["bucket_access"]]).toEqual([limited, shown]);
});

test.each([
  { access: { ...ACCESS, permissions: "all" }, field: "permissions", why: "not in the enumeration" },
  { access: { ...ACCESS, bucket_name: "other" }, field: "bucket_name", why: "no such bucket" },
  { access: { ...ACCESS, cluster: "eu-central-1" }, field: "bucket_name", why: "not in that cluster" },
  { access: { ...ACCESS, cluster: undefined }, field: "cluster", why: "required" },
])("a key is refused by bucket_access.0.$field: $why", async ({ access, field }) => {
  const simulator = await running();
  await bucket(simulator);
  const reply = await simulator.call("POST", KEYS, { bucket_access: [access] });
  expect([reply.status, reasons(reply)[0]?.split(":")[0]]).toEqual([400, `bucket_access.0.${field}`]);
});

test("part 3 section 6: keys tell of their creation, change and revocation by events", async () => {
  const simulator = await running();
  await simulator.ok("POST", KEYS, { label: "app" });
  await simulator.ok("PUT", `${KEYS}/1`, { label: "site" });
  await simulator.ok("DELETE", `${KEYS}/1`);
  const { data } = await simulator.ok("GET", "/account/events");
  const events = data as { action: string; entity: { id: number } }[];
  expect(events.map(({ action, entity }) => [action, entity.id])).toEqual([
    ["obj_access_key_delete", 1],
    ["obj_access_key_update", 1],
    ["obj_access_key_create", 1],
  ]);
});
