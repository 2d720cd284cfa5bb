import { creationRequest } from "../../src/core/kind/fields.ts";
import { describe, expect, it } from "vitest";
import { computeInstance } from "../../src/kinds/compute/compute-instance.ts";
import { calls, changed, live } from "./live.ts";

const spec = { region: "us-east", type: "g6-standard-1", image: "compute/debian12" };
const applied = { region: "us-east", type: "g6-standard-1", image: "compute/debian12" };
const wire = {
  id: 7,
  label: "web-1",
  region: "us-east",
  type: "g6-standard-1",
  image: "compute/debian12",
  status: "running",
  ipv4: ["192.0.2.1"],
  ipv6: "2001:db8::1/128",
  specs: { vcpus: 1, memory: 2048, disk: 51200, transfer: 2000, gpus: 0 },
  alerts: { cpu: 90, io: 10000, network_in: 10, network_out: 10, transfer_quota: 80 },
  backups: { enabled: false, available: false, schedule: { day: null, window: null } },
  watchdog_enabled: true,
  tags: [],
  host_uuid: "9a2f",
  created: "2026-01-01T00:00:00",
};
const root = { rootPasswordSecretRef: "Corr3ct-horse" };

function creation(more: Record<string, unknown>, refs: Record<string, unknown> = root) {
  const wanted = live(computeInstance, { spec: { ...spec, ...more }, refs });
  return creationRequest(computeInstance, wanted);
}

describe("creation", () => {
  it("from an image carries the root password and only fields that a creation has", () => {
    const call = creation({
      alerts: { cpu: 1 },
      watchdogEnabled: false,
      tags: ["b", "a"],
      privateIP: true,
      backups: { enabled: true },
    });
    expect(call?.body).toEqual({
      label: "web-1",
      ...spec,
      root_pass: "Corr3ct-horse",
      tags: ["a", "b"],
      private_ip: true,
      backups_enabled: true,
    });
  });

  it("carries user data in base64, the script's answers as an object, and interfaces in their order", () => {
    const call = creation(
      {
        userDataSecretRef: { name: "a" },
        stackScript: { id: 5, dataSecretRef: { name: "b" } },
        interfaces: [{ purpose: "public" }, { purpose: "vlan", label: "back", ipamAddress: "10.0.0.1/24" }],
      },
      { ...root, userDataSecretRef: "I2Nsb3VkLWNvbmZpZwo=", "stackScript.dataSecretRef": '{"user": "ada"}' },
    );
    expect(call?.body).toMatchObject({
      metadata: { user_data: "I2Nsb3VkLWNvbmZpZwo=" },
      stackscript_id: 5,
      stackscript_data: { user: "ada" },
      interfaces: [{ purpose: "public" }, { purpose: "vlan", label: "back", ipam_address: "10.0.0.1/24" }],
    });
  });

  it("does not boot what is to be off", () => {
    expect(creation({ powerState: "Offline" })?.body).toMatchObject({ booted: false });
    expect(creation({ powerState: "Running" })?.body).not.toHaveProperty("booted");
  });

  it("from a backup sends its number, and no password", () => {
    const call = creation(
      { image: undefined, source: { backup: { id: "12/34" } } },
      { "source.backup": { id: "12/34" } },
    );
    expect(call?.body).toEqual({ label: "web-1", region: "us-east", type: "g6-standard-1", backup_id: 34 });
  });

  it("of a clone carries its user data", () => {
    const source = { clone: { instanceRef: { id: "3" } } };
    const call = creation(
      { image: undefined, userDataSecretRef: { name: "a" }, source },
      { "source.clone.instanceRef": { id: "3" }, userDataSecretRef: "I2Nsb3VkLWNvbmZpZwo=" },
    );
    expect(call?.body).toEqual({
      label: "web-1",
      region: "us-east",
      type: "g6-standard-1",
      metadata: { user_data: "I2Nsb3VkLWNvbmZpZwo=" },
    });
  });

  it("from another instance is a clone of it", () => {
    const source = { clone: { instanceRef: { id: "3" }, diskIDs: [1], configIDs: [2] } };
    const call = creation({ image: undefined, tags: ["a"], source }, { "source.clone.instanceRef": { id: "3" } });
    expect(call).toMatchObject({ method: "POST", path: "/compute/instances/3/clone" });
    expect(call?.body).toEqual({ label: "web-1", region: "us-east", type: "g6-standard-1", disks: [1], configs: [2] });
  });

  it("is refused without a password", () => {
    expect(() => creation({}, {})).toThrow("spec.rootPasswordSecretRef");
  });

  it.each([
    { because: "a password is too short", reference: "rootPasswordSecretRef", text: "short", says: "7 to 128" },
    { because: "answers are a list", reference: "stackScript.dataSecretRef", text: "[]", says: "a JSON object" },
    {
      because: "an answer is a number that would be rounded",
      reference: "stackScript.dataSecretRef",
      text: '{"serial":9007199254740993}',
      says: "a whole number beyond 9007199254740991",
    },
    { because: "answers are no JSON", reference: "stackScript.dataSecretRef", text: "user=ada", says: "a JSON object" },
  ])("text of a Secret is refused before it is sent where $because", ({ reference, text, says }) => {
    const found = computeInstance.references?.[reference];
    expect(found && "secret" in found ? found.refuses?.(text) : undefined).toContain(says);
  });

  it("makes a password only where an image is deployed and none is given", () => {
    const reference = computeInstance.references?.["rootPasswordSecretRef"];
    const generate = reference && "generate" in reference ? reference.generate : undefined;
    expect(generate?.(spec, "web-1")).toEqual({ name: "web-1-root-password", key: "password" });
    expect(generate?.({ region: "us-east", type: "g6-standard-1" }, "web-1")).toBeUndefined();
  });
});

describe("an update", () => {
  it("never sends what needs an operation of its own", () => {
    const other = { ...wire, region: "us-west", type: "g6-standard-2", image: "compute/arch" };
    expect(changed(computeInstance, { spec, wire: other })).toEqual([]);
  });

  it("sends label, tags and watchdog where they differ", () => {
    const more = { label: "other", tags: ["a"], watchdogEnabled: false };
    expect(changed(computeInstance, { spec: { ...spec, ...more }, wire })).toEqual([
      "label",
      "tags",
      "watchdog_enabled",
    ]);
  });
});

describe("disruption", () => {
  const all = { allowDisruption: ["Migrate", "Resize", "Rebuild"] };
  const step = (more: Record<string, unknown>, row = {}, last: { applied?: Record<string, string> } = { applied }) =>
    calls(computeInstance, "disruption", {
      spec: { ...spec, ...all, ...more },
      refs: root,
      wire: { ...wire, ...row },
      ...last,
    });

  it.each([
    { because: "nothing was ever applied, as after an adoption", more: { type: "g6-standard-2" }, last: {} },
    {
      because: "only the cloud differs",
      more: {},
      row: { type: "g6-standard-2", region: "us-west", image: "compute/arch" },
      last: { applied },
    },
    {
      because: "the change has arrived",
      more: { type: "g6-standard-2" },
      row: { type: "g6-standard-2" },
      last: { applied },
    },
  ])("does nothing where $because", ({ more, row, last }) => {
    expect(step(more, row, last)).toEqual([]);
  });

  it.each([
    { more: { region: "us-west" }, call: 'POST /compute/instances/7/migrate {"region":"us-west"}' },
    { more: { type: "g6-standard-2" }, call: 'POST /compute/instances/7/resize {"type":"g6-standard-2"}' },
    {
      more: { type: "g6-standard-2", allowAutoDiskResize: false },
      call: 'POST /compute/instances/7/resize {"type":"g6-standard-2","allow_auto_disk_resize":false}',
    },
    {
      more: { region: "us-west", allowAutoDiskResize: false },
      call: 'POST /compute/instances/7/migrate {"region":"us-west"}',
    },
    {
      more: { image: "compute/arch" },
      call: 'POST /compute/instances/7/rebuild {"image":"compute/arch","root_pass":"Corr3ct-horse","booted":true}',
    },
  ])("is one call: $call", ({ more, call }) => {
    expect(step(more)).toEqual([call]);
  });

  it("has one call for each changed field, and the operator sends one at a time", () => {
    expect(step({ region: "us-west", type: "g6-standard-2" })).toEqual([
      'POST /compute/instances/7/migrate {"region":"us-west"}',
      'POST /compute/instances/7/resize {"type":"g6-standard-2"}',
    ]);
    expect(computeInstance.steps?.["disruption"]?.oneAtATime).toBe(true);
  });

  it("lacks a permission that a user removed before the request", () => {
    const more = { ...spec, type: "g6-standard-2", allowDisruption: ["Rebuild"] };
    const found = computeInstance.steps?.["disruption"]?.calls(
      live(computeInstance, { spec: more, wire, applied }),
      undefined,
    );
    expect(found).toMatchObject([{ lacks: { list: "allowDisruption", entry: "Resize" } }]);
  });
});

describe("power", () => {
  it.each([
    { because: "an unset state is left alone", status: "offline", more: {}, sent: [] },
    { because: "what runs stays", status: "running", more: { powerState: "Running" }, sent: [] },
    {
      because: "what is off is booted",
      status: "offline",
      more: { powerState: "Running" },
      sent: ["POST /compute/instances/7/boot"],
    },
    {
      because: "what runs is shut down",
      status: "running",
      more: { powerState: "Offline" },
      sent: ["POST /compute/instances/7/shutdown"],
    },
    { because: "maintenance is waited for", status: "stopped", more: { powerState: "Running" }, sent: [] },
  ])("$because", ({ status, more, sent }) => {
    expect(calls(computeInstance, "power", { spec: { ...spec, ...more }, wire: { ...wire, status } })).toEqual(sent);
  });
});

describe("readiness", () => {
  const ready = (status: string, powerState?: string) =>
    computeInstance.ready?.(
      live(computeInstance, { spec: { ...spec, ...(powerState && { powerState }) }, wire: { ...wire, status } }),
    );

  it.each([
    { status: "running", wanted: undefined, because: "it runs" },
    { status: "offline", wanted: undefined, because: "nobody said that it must run" },
    { status: "offline", wanted: "Offline", because: "it is off, as wanted" },
  ])("is there when $because", ({ status, wanted }) => {
    expect(ready(status, wanted)).toEqual({ ready: true });
  });

  it("says the same through provisioning and booting, so that status is written once", () => {
    expect(ready("booting")).toEqual(ready("provisioning"));
  });

  it.each([
    { status: "provisioning", reason: "Provisioning" },
    { status: "rebuilding", reason: "Updating" },
    { status: "shutting_down", reason: "Updating" },
    { status: "deleting", reason: "Deleting" },
    { status: "stopped", reason: "Busy" },
  ])("waits without changes while it is $status", ({ status, reason }) => {
    expect(ready(status)).toMatchObject({ ready: false, busy: true, reason });
  });

  it("waits for the power state that is wanted", () => {
    expect(ready("offline", "Running")).toMatchObject({ ready: false, reason: "Updating" });
  });

  it.each(["cloning", "restoring"])("for deletion waits while it is %s", (status) => {
    expect(computeInstance.removable?.({ status })).toMatchObject({ ready: false, reason: "Busy" });
  });
});

describe("settings with calls of their own", () => {
  const on = { ...wire, backups: { enabled: true, available: true, schedule: { day: "Sunday", window: "W4" } } };
  const schedule = { day: "Sunday", window: "W4" };

  it.each([
    { because: "unset backups are left alone", more: {}, row: on, sent: [] },
    { because: "what is wanted is there", more: { backups: { enabled: true, schedule } }, row: on, sent: [] },
    {
      because: "backups are turned on before they are scheduled",
      more: { backups: { enabled: true, schedule } },
      row: wire,
      sent: [
        "POST /compute/instances/7/backups/enable",
        'PUT /compute/instances/7 {"backups":{"schedule":{"day":"Sunday","window":"W4"}}}',
      ],
    },
  ])("$because", ({ more, row, sent }) => {
    expect(calls(computeInstance, "backups", { spec: { ...spec, ...more }, wire: row })).toEqual(sent);
  });

  const cancelling = (applied: Record<string, string> | undefined, row = on) => {
    const parts = { spec: { ...spec, backups: { enabled: false } }, wire: row, ...(applied && { applied }) };
    return computeInstance.steps?.["cancelBackups"]?.calls(live(computeInstance, parts), undefined) ?? [];
  };

  it("cancels backups where the spec wanted them when it was last applied", () => {
    const [call] = cancelling({ backups_enabled: "true" });
    expect(call).toMatchObject({ method: "POST", path: "/compute/instances/7/backups/cancel", destructive: true });
    expect(call).not.toHaveProperty("unasked");
    expect(cancelling({ backups_enabled: "true" }, wire as never)).toEqual([]);
  });

  it.each([
    { because: "the instance was adopted", applied: undefined },
    { because: "they were off when it was last applied", applied: { backups_enabled: "false" } },
    { because: "it is not known what was applied", applied: {} },
  ])("says only that backups are on where $because", ({ applied }) => {
    expect(cancelling(applied)).toMatchObject([{ action: "CancelBackups", unasked: true }]);
  });

  it("sends all thresholds, the unset ones as they are", () => {
    expect(calls(computeInstance, "alerts", { spec: { ...spec, alerts: { cpu: 0 } }, wire })).toEqual([
      'PUT /compute/instances/7 {"alerts":{"cpu":0,"io":10000,"network_in":10,"network_out":10,"transfer_quota":80}}',
    ]);
    expect(calls(computeInstance, "alerts", { spec: { ...spec, alerts: { cpu: 90 } }, wire })).toEqual([]);
  });

  const vlan = { purpose: "vlan", label: "back", ipamAddress: "10.0.0.1/24" };
  const wireVlan = { id: 2, purpose: "vlan", label: "back", ipam_address: "10.0.0.1/24" };
  const wirePublic = { id: 1, purpose: "public", label: null, ipam_address: null };

  it.each([
    {
      because: "they are as wanted",
      interfaces: [{ purpose: "public" }, vlan],
      config: [wirePublic, wireVlan],
      sent: 0,
    },
    { because: "none is the public one", interfaces: [{ purpose: "public" }], config: [], sent: 0 },
    {
      because: "their order differs",
      interfaces: [vlan, { purpose: "public" }],
      config: [wirePublic, wireVlan],
      sent: 1,
    },
    {
      because: "an address differs",
      interfaces: [{ ...vlan, ipamAddress: "10.0.0.2/24" }],
      config: [wireVlan],
      sent: 1,
    },
  ])("sets interfaces in the profile where needed: $because", ({ interfaces, config, sent }) => {
    expect(
      calls(computeInstance, "interfaces", { spec: { ...spec, interfaces }, wire }, [{ id: 5, interfaces: config }]),
    ).toHaveLength(sent);
  });

  it("refuses to choose among several profiles", () => {
    const configs = [{ id: 5 }, { id: 6 }];
    expect(() =>
      calls(computeInstance, "interfaces", { spec: { ...spec, interfaces: [vlan] }, wire }, configs),
    ).toThrow("spec.interfaces");
  });
});

describe("the report", () => {
  it("names what a person looks for, and the Secret with the password", () => {
    expect(computeInstance.report(live(computeInstance, { spec, wire }), {})).toMatchObject({
      state: "running",
      ipv4: ["192.0.2.1"],
      ipv6: "2001:db8::1/128",
      specs: { vcpus: 1, memoryMB: 2048, diskMB: 51200, transferGB: 2000, gpus: 0 },
      rootPasswordSecretName: "web-1-root-password",
    });
  });

  it("names no Secret of ours for an instance that was taken over", () => {
    expect(computeInstance.report(live(computeInstance, { spec, wire, adopted: true }), {})).not.toHaveProperty(
      "rootPasswordSecretName",
    );
  });

  it("reads attachments only where they are asked for", () => {
    const asked = { ...spec, reportAttachments: true };
    expect(computeInstance.details?.(live(computeInstance, { spec, wire }))).toEqual({});
    expect(Object.keys(computeInstance.details?.(live(computeInstance, { spec: asked, wire })) ?? {})).toEqual([
      "volumes",
      "nodeBalancers",
    ]);
    const details = {
      volumes: [{ id: 1, label: "data", size: 20, filesystem_path: "/dev/disk/by-id/data" }],
      nodeBalancers: [{ id: 2, label: "lb", hostname: "lb.example" }],
    };
    expect(computeInstance.report(live(computeInstance, { spec: asked, wire }), details)).toMatchObject({
      volumes: [{ id: "1", label: "data", sizeGB: 20, filesystemPath: "/dev/disk/by-id/data" }],
      nodeBalancers: [{ id: "2", label: "lb", hostname: "lb.example" }],
    });
  });
});
