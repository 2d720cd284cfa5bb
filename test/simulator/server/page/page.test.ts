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
  test("shows resources, running jobs, recent calls and accounts", async () => {
    const { simulator, page } = await opened();
    await simulator.ok("POST", "/compute/instances", { ...DEBIAN, label: "web-1" });
    await page.getByRole("link", { name: "Show anew" }).click();
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
    await page.getByLabel("Forward by minutes").fill("5");
    await page.getByLabel("Time scale").fill("60");
    await page.getByRole("button", { name: "Set the clock" }).click();
    await page.getByRole("status").getByText("went forward by 5 minutes; time scale 60").waitFor();
    expect(await status(simulator, id)).toBe("running");
    expect(simulator.control.clock.scale()).toBe(60);
  });

  test("arms a fault for an operation, shows that it was played, and disarms it", async () => {
    const { simulator, page } = await opened();
    await page.getByLabel("Kind").selectOption("status");
    await page.getByLabel("Operation").selectOption("GET /profile");
    await page.getByLabel("Status, for").fill("503");
    await page.getByLabel("Times (empty").fill("");
    await page.getByRole("button", { name: "Arm the fault" }).click();
    await page.getByRole("status").getByText("Fault 1 is armed.").waitFor();
    expect((await simulator.call("GET", "/profile")).status).toBe(503);
    expect((await simulator.call("GET", "/regions")).status).toBe(200);
    await page.getByRole("button", { name: "Disarm fault 1" }).click();
    await page.getByRole("status").getByText("Fault 1 is disarmed.").waitFor();
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
  ])("arms the fault %s with the fields that it knows", async (kind) => {
    const { simulator, page } = await opened();
    await page.getByLabel("Kind").selectOption(kind);
    await page.getByRole("button", { name: "Arm the fault" }).click();
    await page.getByRole("status").waitFor();
    expect(simulator.control.faults.list()).toMatchObject([{ id: 1, fault: { kind, times: 1 } }]);
  });

  test("removes a resource behind the client's back", async () => {
    const { simulator, page } = await opened();
    await simulator.ok("POST", "/profile/sshkeys", { ssh_key: "ssh-rsa AAAA", label: "laptop" });
    await page.goto(`${simulator.url}/_simulator/?kind=sshkey`);
    await page.getByRole("button", { name: "Remove sshkey laptop" }).click();
    await page.getByRole("status").getByText("is gone, without any request").waitFor();
    expect((await simulator.ok("GET", "/profile/sshkeys"))["results"]).toBe(0);
    expect(simulator.control.ledger({ method: "DELETE" })).toEqual([]);
  });

  test("counts requests when it is told to", async () => {
    const { simulator, page } = await opened();
    await page.getByLabel("Requests are counted").selectOption("on");
    await page.getByLabel("Limits times").fill("0.001");
    await page.getByRole("button", { name: "Set the limits" }).click();
    await page.getByRole("status").getByText("Requests are counted.").waitFor();
    await simulator.call("GET", "/profile");
    const statuses = [];
    for (let index = 0; index < 3; index += 1) statuses.push((await simulator.call("GET", "/profile")).status);
    expect(statuses).toContain(429);
  });

  test("resets everything, but only for who is sure", async () => {
    const { simulator, page } = await opened();
    await simulator.ok("POST", "/compute/instances", DEBIAN);
    await page.getByRole("button", { name: "Reset everything" }).click();
    expect(simulator.control.rows("instance")).toHaveLength(1);
    await page.getByLabel("I am sure").check();
    await page.getByRole("button", { name: "Reset everything" }).click();
    await page.getByRole("status").getByText("as in the beginning").waitFor();
    expect(simulator.control.rows("instance")).toEqual([]);
  });

  test("says why something was not done, and takes nothing of it for HTML", async () => {
    const { simulator, page } = await opened();
    await simulator.ok("POST", "/profile/sshkeys", { ssh_key: "ssh-rsa AAAA", label: "<b>laptop</b>" });
    await page.goto(`${simulator.url}/_simulator/?kind=sshkey`);
    simulator.control.remove("sshkey", 1);
    await page.getByRole("button", { name: "Remove sshkey <b>laptop</b>" }).click();
    expect(await page.getByRole("alert").textContent()).toBe("There is no sshkey 1 any more");
  });
});

describe("the page, to everybody", { timeout: 2 * patience }, () => {
  test("each field has a label, each table its heads, and the first Tab leads to the content", async () => {
    const { page, complaints } = await opened({ scripts: true });
    const unnamed = await page.evaluate(
      `[...document.querySelectorAll("input:not([type=hidden]),select")].filter((field) => !field.labels.length).length`,
    );
    const headless = await page.evaluate(
      `[...document.querySelectorAll("table")].filter((table) => !table.querySelector("thead th[scope=col]")).length`,
    );
    expect([unnamed, headless]).toEqual([0, 0]);
    await page.keyboard.press("Tab");
    const first = page.locator(":focus");
    expect(await first.textContent()).toBe("To the content");
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
