import { expect, it } from "vitest";
import { nextSteps } from "../../tools/demo/next-steps.ts";

const options = {
  kubeconfigPath: "/tmp/demo/kubeconfig",
  kubectlCommand: "/cache/kubectl",
  namespace: "default",
  foreign: false,
  cloud: "http://127.0.0.1:8090",
  page: "http://demo:secret@127.0.0.1:8090/_simulator/",
  token: "t0ken",
  metrics: "http://127.0.0.1:8080/metrics",
  operatorLog: "/tmp/demo/operator.log",
  rows: [
    { kind: "CloudAccount", name: "default", ready: "True", reason: "", message: "" },
    { kind: "ComputeInstance", name: "web-1", ready: "True", reason: "", message: "" },
  ],
};

it("names the cluster, and where kubectl is when it is not on the PATH", () => {
  const lines = nextSteps(options);
  expect(lines).toContain("  export KUBECONFIG=/tmp/demo/kubeconfig");
  expect(lines).toContain("  alias kubectl=/cache/kubectl");
  expect(nextSteps({ ...options, kubectlCommand: "kubectl" }).join("\n")).not.toContain("alias");
});

it("opens the simulator's page without asking for its token, and says it where a browser asks all the same", () => {
  const lines = nextSteps(options);
  // Alone on its line: what follows an address is taken for a part of it by some terminals.
  expect(lines).toContain(`  ${options.page}`);
  expect(lines).toContain("  where the browser asks: name demo, password secret");
});

it("offers six commands about an object that is there, in the namespace where it is", () => {
  const commands = nextSteps({ ...options, namespace: "team" }).filter((line) => /^ {2}(kubectl|curl)/.test(line));
  expect(commands).toHaveLength(6);
  expect(commands.join("\n")).toContain("kubectl -n team describe computeinstance/web-1");
});

it("offers no catalogs in somebody else's cluster, where the operator keeps to its namespace", () => {
  expect(nextSteps({ ...options, foreign: true }).join("\n")).not.toContain("cpregions");
});
