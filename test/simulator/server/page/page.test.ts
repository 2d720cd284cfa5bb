import { chromium } from "playwright-core";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { ensureBrowser } from "../../../../tools/browser/ensure.ts";
import { DEBIAN, running } from "../../running.ts";
import type { Running } from "../../running.ts";

/** A headless browser on a machine that may be slow and closed to the outside. */
const flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"];
const quiet = ["--disable-background-networking", "--disable-component-update", "--disable-sync"];
const patience = 60_000;

let browser: Browser;
beforeAll(async () => {
  const executablePath = await ensureBrowser();
  browser = await chromium.launch({ executablePath, args: [...flags, ...quiet], timeout: patience });
}, 600_000);
afterAll(() => browser.close());

interface Opened {
  simulator: Running;
  page: Page;
  /** What the browser complained of. */
  complaints: string[];
}

interface Wanted {
  scripts?: boolean;
  colorScheme?: "light" | "dark";
}

async function opened({ scripts = false, colorScheme = "light" }: Wanted = {}): Promise<Opened> {
  const simulator = await running();
  const httpCredentials = { username: "me", password: simulator.controlToken };
  const context = await browser.newContext({ httpCredentials, javaScriptEnabled: scripts, colorScheme });
  onTestFinished(() => context.close());
  context.setDefaultTimeout(patience);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => void complaints.push(message.text()));
  page.on("pageerror", (error) => void complaints.push(error.message));
  await page.goto(`${simulator.url}/_simulator/`);
  return { simulator, page, complaints };
}

const status = async (simulator: Running, id: unknown) =>
  (await simulator.ok("GET", `/compute/instances/${String(id)}`))["status"];

describe("the page, in a browser without scripts", { timeout: 2 * patience }, () => {
  test("shows resources, jobs, requests and accounts", async () => {
    const { simulator, page } = await opened();
    await simulator.ok("POST", "/compute/instances", { ...DEBIAN, label: "web-1" });
    await page.getByRole("link", { name: "Reload", exact: true }).click();
    await page.getByRole("row", { name: /1001 web-1 status provisioning/ }).waitFor();
    await page.getByRole("row", { name: /compute_create demo .*instance 1001/ }).waitFor();
    await page.getByRole("row", { name: /demo POST \/v4\/compute\/instances 200/ }).waitFor();
    await page.getByRole("row", { name: /demo demo-restricted restricted/ }).waitFor();
    await page.getByRole("link", { name: "Disks 2" }).click();
    await page
      .getByRole("row", { name: /instance 1001/ })
      .first()
      .waitFor();
    expect(await page.getByRole("link", { name: "Disks 2" }).getAttribute("aria-current")).toBe("true");
  });

  test("moves the clock: the instance runs", async () => {
    const { simulator, page } = await opened();
    const { id } = await simulator.ok("POST", "/compute/instances", DEBIAN);
    await page.getByLabel("Move forward by minutes").fill("5");
    await page.getByLabel("Time scale").fill("60");
    await page.getByRole("button", { name: "Set the clock" }).click();
    await page.getByRole("status").getByText("forward by 5 minutes; the time scale is 60").waitFor();
    expect(await status(simulator, id)).toBe("running");
    expect(simulator.control.clock.scale()).toBe(60);
  });

  test("adds a fault for an operation, shows the requests that met it, and removes it", async () => {
    const { simulator, page } = await opened();
    await page.getByLabel("Kind").selectOption("status");
    await page.getByLabel("Operation").selectOption("GET /profile");
    await page.getByLabel("Status, for").fill("503");
    await page.getByLabel("Requests (empty").fill("");
    await page.getByRole("button", { name: "Add the fault" }).click();
    await page.getByRole("status").getByText("Added fault 1.").waitFor();
    expect((await simulator.call("GET", "/profile")).status).toBe(503);
    expect((await simulator.call("GET", "/regions")).status).toBe(200);
    await page.getByRole("button", { name: "Remove fault 1" }).click();
    await page.getByRole("status").getByText("Removed fault 1.").waitFor();
    await page.getByRole("row", { name: /GET \/v4\/profile 503 status/ }).waitFor();
    expect((await simulator.call("GET", "/profile")).status).toBe(200);
  });

  test.each([
    "html",
    "rate-limit",
    "maintenance",
    "delay",
    "slow-answer",
    "reset-before",
    "reset-after",
    "late-apply",
    "truncate",
    "absent",
    "shift",
  ])("adds the fault %s with the fields that its kind has", async (kind) => {
    const { simulator, page } = await opened();
    await page.getByLabel("Kind").selectOption(kind);
    await page.getByRole("button", { name: "Add the fault" }).click();
    await page.getByRole("status").waitFor();
    expect(simulator.control.faults.list()).toMatchObject([{ id: 1, fault: { kind, times: 1 } }]);
  });

  test("deletes a resource without a request", async () => {
    const { simulator, page } = await opened();
    await simulator.ok("POST", "/profile/sshkeys", { ssh_key: "ssh-rsa AAAA", label: "laptop" });
    await page.goto(`${simulator.url}/_simulator/?kind=sshkey`);
    await page.getByRole("button", { name: "Delete sshkey laptop" }).click();
    await page.getByRole("status").getByText("Deleted sshkey 1, without a request.").waitFor();
    expect((await simulator.ok("GET", "/profile/sshkeys"))["results"]).toBe(0);
    expect(simulator.control.ledger({ method: "DELETE" })).toEqual([]);
  });

  test("shows the bodies of a request and of its response, and separates writes from reads", async () => {
    const { simulator, page } = await opened();
    await simulator.ok("POST", "/profile/sshkeys", { ssh_key: "ssh-rsa AAAA", label: "laptop" });
    await simulator.ok("GET", "/profile");
    await page.getByRole("link", { name: "Reload", exact: true }).click();
    const write = page.locator("h2#writes + .scroll tbody tr");
    const read = page.locator("h2#reads + .scroll tbody tr");
    expect([await write.count(), await read.count()]).toEqual([1, 1]);
    await write.getByText("Request and response").click();
    await write.getByText('"ssh_key": "ssh-rsa AAAA"').first().waitFor();
    await write.getByText('"created": "2026-01-01T00:00:00"').waitFor();
    await read.getByText("Request and response").click();
    await read.getByText("The request has no body.").waitFor();
    await read.getByText('"username": "demo"').waitFor();
  });

  test("changes a resource without a request", async () => {
    const { simulator, page } = await opened();
    const { id } = await simulator.ok("POST", "/compute/instances", { ...DEBIAN, label: "web-1" });
    await page.goto(`${simulator.url}/_simulator/?kind=instance`);
    await page.getByRole("link", { name: "Change instance web-1" }).click();
    const fields = page.getByLabel("Fields as JSON");
    await fields.fill((await fields.inputValue()).replace('"web-1"', '"other-name"'));
    await page.getByRole("button", { name: "Save the change" }).click();
    await page
      .getByRole("status")
      .getByText(`Changed label of instance ${String(id)}, without a request.`)
      .waitFor();
    expect(await simulator.ok("GET", `/compute/instances/${String(id)}`)).toMatchObject({ label: "other-name" });
    expect(simulator.control.ledger({ method: "PUT" })).toEqual([]);
  });

  test.each([
    { text: '{"label": 7}', says: "label: Must have the type string, as before" },
    { text: '{"colour": "red"}', says: "colour: Cannot be changed here" },
    { text: '{"ssh_key": ', says: "fields: Must be a JSON object" },
    { text: "[]", says: "fields: Must be a JSON object" },
    { text: '{"label": "laptop"}', says: "No field of sshkey 1 differs." },
  ])("a change to $text changes nothing and says: $says", async ({ text, says }) => {
    const { simulator, page } = await opened();
    await simulator.ok("POST", "/profile/sshkeys", { ssh_key: "ssh-rsa AAAA", label: "laptop" });
    await page.goto(`${simulator.url}/_simulator/?kind=sshkey&id=1`);
    const before = simulator.control.rows("sshkey");
    await page.getByLabel("Fields as JSON").fill(text);
    await page.getByRole("button", { name: "Save the change" }).click();
    await page.getByText(says).waitFor();
    expect(simulator.control.rows("sshkey")).toEqual(before);
  });

  test("applies rate limits", async () => {
    const { simulator, page } = await opened();
    await page.getByLabel("Rate limits apply").selectOption("on");
    await page.getByLabel("Multiply limits by").fill("0.001");
    await page.getByRole("button", { name: "Set the limits" }).click();
    await page.getByRole("status").getByText("The rate limits apply.").waitFor();
    await simulator.call("GET", "/profile");
    const statuses = [];
    for (let index = 0; index < 3; index += 1) statuses.push((await simulator.call("GET", "/profile")).status);
    expect(statuses).toContain(429);
  });

  test("resets the simulator only if the check box is selected", async () => {
    const { simulator, page } = await opened();
    await simulator.ok("POST", "/compute/instances", DEBIAN);
    await page.getByRole("button", { name: "Reset the simulator" }).click();
    expect(simulator.control.rows("instance")).toHaveLength(1);
    await page.getByLabel("Delete everything").check();
    await page.getByRole("button", { name: "Reset the simulator" }).click();
    await page.getByRole("status").getByText("has its initial state again").waitFor();
    expect(simulator.control.rows("instance")).toEqual([]);
  });

  test("shows why an action failed, and escapes HTML in names", async () => {
    const { simulator, page } = await opened();
    await simulator.ok("POST", "/profile/sshkeys", { ssh_key: "ssh-rsa AAAA", label: "<b>laptop</b>" });
    await page.goto(`${simulator.url}/_simulator/?kind=sshkey`);
    simulator.control.remove("sshkey", 1);
    await page.getByRole("button", { name: "Delete sshkey <b>laptop</b>" }).click();
    expect(await page.getByRole("alert").textContent()).toBe("There is no sshkey 1");
  });
});

describe("the page, to every reader", { timeout: 2 * patience }, () => {
  test("each field has a label, each table its heads, and the first Tab leads to the content", async () => {
    const { page, complaints } = await opened({ scripts: true });
    const unnamed = await page.evaluate(
      `[...document.querySelectorAll("input:not([type=hidden]),select,textarea")].filter((field) => !field.labels.length).length`,
    );
    const headless = await page.evaluate(
      `[...document.querySelectorAll("table")].filter((table) => !table.querySelector("thead th[scope=col]")).length`,
    );
    expect([unnamed, headless]).toEqual([0, 0]);
    await page.keyboard.press("Tab");
    const first = page.locator(":focus");
    expect(await first.textContent()).toBe("Skip to content");
    expect((await first.boundingBox())?.x).toBeGreaterThanOrEqual(0);
    expect(complaints).toEqual([]);
  });

  test("it is light or dark as the reader wants, and fits a telephone", async () => {
    const colours: unknown[] = [];
    for (const colorScheme of ["light", "dark"] as const) {
      const { page } = await opened({ scripts: true, colorScheme });
      colours.push(await page.evaluate("getComputedStyle(document.body).backgroundColor"));
      await page.setViewportSize({ width: 390, height: 800 });
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
    }
    expect(colours).toEqual(["rgb(255, 255, 255)", "rgb(18, 22, 27)"]);
  });

  test("its policy forbids scripts, frames and whatever comes from elsewhere", async () => {
    const { page } = await opened({ scripts: true });
    const answer = await page.reload();
    expect(answer?.headers()["content-security-policy"]).toContain("default-src 'none'");
    await page.evaluate(
      `document.body.append(Object.assign(document.createElement("script"), { text: "document.title = 'taken'" }))`,
    );
    expect(await page.title()).toBe("Simulated cloud");
  });
});

test("forms of other pages do nothing, although the browser sends the password with them", async () => {
  const simulator = await running();
  await simulator.ok("POST", "/compute/instances", DEBIAN);
  const reset = (headers: Record<string, string>) =>
    fetch(`${simulator.url}/_simulator/do/reset`, {
      method: "POST",
      redirect: "manual",
      body: "sure=yes",
      headers: { Authorization: `Basic ${btoa(`me:${simulator.controlToken}`)}`, ...headers },
    });
  expect((await reset({ Origin: "http://evil.example.com" })).status).toBe(403);
  expect((await reset({})).status).toBe(403);
  expect(simulator.control.rows("instance")).toHaveLength(1);
  expect((await reset({ Origin: simulator.url, Authorization: "Basic bWU6d3Jvbmc=" })).status).toBe(401);
  expect((await reset({ Origin: simulator.url })).status).toBe(303);
  expect(simulator.control.rows("instance")).toEqual([]);
});
