import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import type { Fault } from "../../../../src/simulator/server/faults/faults.ts";
import { DEBIAN, reasons, running } from "../../running.ts";
import type { Running } from "../../running.ts";

const UPLOAD = "PUT /uploads/images/{number}";
const OBJECT = "PUT /objects/{cluster}/{bucket}/{name}";

/** An image that waits for its data, and a way to send it. */
async function waitingImage(
  simulator: Running,
): Promise<{ put: () => Promise<Response>; status: () => Promise<unknown> }> {
  const made = await simulator.ok("POST", "/images/upload", { label: "mine", region: "us-east" });
  const { id } = made["image"] as { id: string };
  const put = () =>
    fetch(String(made["upload_to"]), {
      method: "PUT",
      headers: { "Content-Type": "application/octet-stream" },
      body: gzipSync("disk"),
    });
  return { put, status: async () => (await simulator.ok("GET", `/images/${id}`))["status"] };
}

test.each<{ fault: Fault; status: number; why: string }>([
  { fault: { kind: "status", status: 500, times: 1 }, status: 500, why: "an error of the service" },
  { fault: { kind: "html", times: 1 }, status: 502, why: "a gateway's page" },
  { fault: { kind: "rate-limit", retryAfter: 3, times: 1 }, status: 429, why: "too many requests" },
  { fault: { kind: "maintenance", times: 1 }, status: 503, why: "maintenance" },
])("an upload that meets $why leaves the image waiting, and may be sent again", async ({ fault, status }) => {
  const simulator = await running();
  const image = await waitingImage(simulator);
  simulator.control.faults.add({ ...fault, operation: UPLOAD });
  expect((await image.put()).status).toBe(status);
  expect(await image.status()).toBe("pending_upload");
  expect((await image.put()).status).toBe(200);
  expect(await image.status()).toBe("creating");
  expect(simulator.control.ledger({ operation: UPLOAD }).map((entry) => entry.fault)).toEqual([fault.kind, null]);
});

test("an upload whose connection breaks before or after it was stored", async () => {
  const simulator = await running();
  const image = await waitingImage(simulator);
  simulator.control.faults.add({ kind: "reset-before", operation: UPLOAD, times: 1 });
  await expect(image.put()).rejects.toThrow("fetch failed");
  expect(await image.status()).toBe("pending_upload");
  simulator.control.faults.add({ kind: "reset-after", operation: UPLOAD, times: 1 });
  await expect(image.put()).rejects.toThrow("fetch failed");
  expect(await image.status()).toBe("creating");
});

test("an upload is stored after its answer was lost", async () => {
  const simulator = await running();
  const image = await waitingImage(simulator);
  simulator.control.faults.add({ kind: "late-apply", ms: 5_000, operation: UPLOAD, times: 1 });
  await expect(image.put()).rejects.toThrow("fetch failed");
  expect(await image.status()).toBe("pending_upload");
  await simulator.clock.advance(5_000);
  expect(await image.status()).toBe("creating");
});

test("an object is put in spite of a truncated answer, and not where the service fails", async () => {
  const simulator = await running();
  const clusters = (await simulator.ok("GET", "/object-storage/clusters"))["data"] as { id: string }[];
  const cluster = clusters[0]?.id ?? "";
  await simulator.ok("POST", "/object-storage/buckets", { label: "stuff", cluster });
  const permit = { method: "PUT", name: "a.txt", content_type: "text/plain" };
  const { url } = await simulator.ok("POST", `/object-storage/buckets/${cluster}/stuff/object-url`, permit);
  const put = () => fetch(String(url), { method: "PUT", headers: { "Content-Type": "text/plain" }, body: "x" });
  simulator.control.faults.add({ kind: "status", status: 503, operation: OBJECT, times: 1 });
  expect((await put()).status).toBe(503);
  const objects = async () =>
    (await simulator.ok("GET", `/object-storage/buckets/${cluster}/stuff/object-list`))["data"] as unknown[];
  expect(await objects()).toEqual([]);
  simulator.control.faults.add({ kind: "reset-after", operation: OBJECT, times: 1 });
  await expect(put()).rejects.toThrow("fetch failed");
  expect(await objects()).toHaveLength(1);
});

test("a fault by name meets that operation and no other, whatever the ids", async () => {
  const simulator = await running();
  const { id } = await simulator.ok("POST", "/compute/instances", DEBIAN);
  await simulator.clock.advance(60_000);
  simulator.control.faults.add({
    kind: "status",
    status: 500,
    operation: "POST /compute/instances/{computeId}/reboot",
  });
  expect((await simulator.call("POST", `/compute/instances/${String(id)}/shutdown`)).status).toBe(200);
  expect((await simulator.call("POST", `/compute/instances/${String(id)}/reboot`)).status).toBe(500);
});

test("an answer that is slow comes when its time is over, and its effect is there before", async () => {
  const simulator = await running();
  simulator.control.faults.add({ kind: "slow-answer", ms: 3_000, operation: "POST /profile/sshkeys", times: 1 });
  const reply = simulator.call("POST", "/profile/sshkeys", { ssh_key: "ssh-rsa AAAA", label: "laptop" });
  await expect.poll(() => simulator.control.rows("sshkey")).toHaveLength(1);
  expect(simulator.control.ledger()[0]?.repliedAt).toBeNull();
  await simulator.clock.advance(3_000);
  expect((await reply).status).toBe(200);
});

test("the names are told, and a name that is none is refused", async () => {
  const simulator = await running();
  const options = { token: simulator.controlToken };
  const names = (await simulator.call("GET", "/_simulator/operations", undefined, options)).body as unknown as string[];
  expect(names).toEqual(expect.arrayContaining(["GET /compute/instances", UPLOAD, OBJECT]));
  const fault = { kind: "html", operation: "POST /nothing" };
  const refused = await simulator.call("POST", "/_simulator/faults", fault, options);
  expect([refused.status, reasons(refused)]).toEqual([
    400,
    ["operation: No operation is called POST /nothing; GET /_simulator/operations names them"],
  ]);
});
