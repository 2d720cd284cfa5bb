import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { once } from "node:events";
import { createServer } from "node:http";
import { createServer as createTcpServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { commands } from "../../src/cli/program.ts";
import { createTerminal, showsColours } from "../../src/cli/terminal.ts";
import { systemClock } from "../../src/process/clock.ts";
import type { Clock } from "../../src/queue/clock.ts";
import { root } from "../support/sources.ts";
import { accountFlags, folderOfTest, runCli } from "./run.ts";

describe("the command line", () => {
  it.each(commands.map((command) => [command.name, command] as const))(
    "%s has a help text with two examples that begin with the command",
    async (name, { examples }) => {
      const { code, out } = await runCli([...name.split(" "), "--help"]);
      expect(code).toBe(0);
      for (const [example] of examples) {
        expect(out).toContain(`cloudplatform ${example}`);
        expect(example.startsWith(name)).toBe(true);
      }
    },
  );

  it.each([
    [["resources", "--token-file", "/none", "--endpoint", "http://127.0.0.1:9"], "/none cannot be read (ENOENT)"],
    [["resources", "--token-file", "/none"], "--token-file needs the cloud API. Add --endpoint"],
    [["resources", "--kubeconfig", "/none"], "the kubeconfig cannot be used"],
    [["resources", "-o", "xml"], "Allowed choices are table, json, yaml, name, markdown, csv"],
    [["resorces"], "Did you mean resources?"],
  ])("%j fails with exit code 1 and a message with the next step", async (args, message) => {
    const { code, out, err } = await runCli(args);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toContain(message);
  });

  it("never shows a token that the user stored with further text", async () => {
    const file = join(folderOfTest(), "token");
    writeFileSync(file, "canary-1 canary-2");
    const { err } = await runCli(["resources", "--token-file", file, "--endpoint", "http://127.0.0.1:9"]);
    expect(err).toContain("holds no token");
    expect(err).not.toContain("canary");
  });

  it("ends with exit code 130 after Ctrl-C, without an error message", async () => {
    const interrupted = new AbortController();
    const server = createServer(() => interrupted.abort(new Error("interrupted")));
    server.listen(0, "127.0.0.1");
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const { port } = await new Promise<AddressInfo>((resolve) =>
      server.once("listening", () => resolve(server.address() as AddressInfo)),
    );
    const flags = accountFlags({ url: `http://127.0.0.1:${port}`, token: "t" });
    const { code, err } = await runCli(["resources", ...flags], { signal: interrupted.signal });
    expect({ code, err }).toEqual({ code: 130, err: "" });
  });

  it.each(["tree", "why sshkey laptop", "resources", "retry sshkey laptop --yes"])(
    "%s says once, after one connection, that the API server does not answer",
    async (command) => {
      let connections = 0;
      const server = createTcpServer((socket) => {
        connections += 1;
        onTestFinished(() => void socket.destroy());
      });
      server.listen(0, "127.0.0.1");
      onTestFinished(() => void server.close());
      await once(server, "listening");
      const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const file = join(folderOfTest(), "kubeconfig");
      const named = { clusters: [{ name: "c", cluster: { server: url } }], users: [{ name: "u", user: {} }] };
      const contexts = [{ name: "x", context: { cluster: "c", user: "u" } }];
      writeFileSync(
        file,
        JSON.stringify({ apiVersion: "v1", kind: "Config", ...named, contexts, "current-context": "x" }),
      );
      // Time passes faster, so that the deadline of the first answer comes before the limit of the test.
      const clock: Clock = { ...systemClock, schedule: (ms, run) => systemClock.schedule(ms / 50, run) };
      const { code, out, err } = await runCli([...command.split(" "), "--kubeconfig", file], { clock });
      expect({ code, out }).toEqual({ code: 1, out: "" });
      expect(err).toBe(
        `error: the Kubernetes API: ${url} does not answer (no response in time). Check --kubeconfig, --context and the network\n`,
      );
      expect(connections).toBe(1);
    },
  );

  it.each([
    [{}, true, true, "a terminal"],
    [{}, false, false, "a pipe"],
    [{ NO_COLOR: "1" }, true, false, "the user wants no colours"],
    [{ NO_COLOR: "" }, true, true, "an empty NO_COLOR has no meaning"],
    [{ FORCE_COLOR: "1", NO_COLOR: "1" }, false, true, "FORCE_COLOR is stronger"],
    [{ FORCE_COLOR: "0" }, true, false, "FORCE_COLOR can also forbid"],
    [{ TERM: "dumb" }, true, false, "the terminal knows no colours"],
  ])("with %j and terminal %s shows colours: %s (%s)", (environment, isTerminal, expected, _reason) => {
    expect(showsColours(environment, isTerminal)).toBe(expected);
  });

  it("writes no control character of a foreign text, and keeps line breaks and its own colours", () => {
    let err = "";
    const stderr = { isTTY: true, write: (text: string) => void (err += text) };
    const signal = new AbortController().signal;
    const terminal = createTerminal({ environment: {}, stdout: stderr, stderr, signal });
    terminal.say(`${terminal.paint("red", "error")}: a\u001b]0;title\u0007b\u009b2Jc\rd\u001b[2Je\nf`);
    expect(err).toBe("\u001b[31merror\u001b[39m: a ]0;title b 2Jc d [2Je\nf\n");
  });

  it("prints its version", async () => {
    expect((await runCli(["version"])).out).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it("runs as a program, and completes commands, kinds, options and formats", () => {
    const run = (...args: string[]) =>
      execFileSync(process.execPath, [join(root, "src/cli/main.ts"), ...args], { encoding: "utf8" });
    expect(run("completion", "bash")).toContain("complete -F");
    expect(run("completion", "zsh")).toContain("#compdef cloudplatform");
    expect(run("completion", "fish")).toContain("complete -c cloudplatform");
    execFileSync("bash", ["-n"], { input: run("completion", "bash") });
    expect(run("complete", "--", "reso")).toContain("resources");
    // A shell takes each line for a candidate.
    for (const line of run("complete", "--", "").trim().split("\n")) expect(line).toMatch(/^([a-z][a-z ]*\t.+|:\d+)$/);
    expect(run("complete", "--", "why", "compute")).toContain("computeinstance");
    expect(run("complete", "--", "approve", "--dry")).toContain("--dry-run");
    expect(run("complete", "--", "tree", "-o", "")).toContain("mermaid");
  }, 120_000);
});
