import { execFile } from "node:child_process";
import { expect, onTestFinished, test } from "vitest";
import { cleanEnvironment } from "../../tools/demo/programs.ts";
import { sharedControlPlane } from "../support/control-plane.ts";
import { startWorld } from "../support/world.ts";

const sshKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGJyb2FkLWV4YW1wbGUta2V5LWZvci1kb2N1bWVudHMh ada@laptop";

function guard(...args: string[]): Promise<{ code: number; output: string }> {
  const { kubeconfigPath } = sharedControlPlane();
  const given = ["src/main.ts", "guard", "--kubeconfig", kubeconfigPath, ...args];
  return new Promise((resolve) =>
    execFile(process.execPath, given, { env: cleanEnvironment(process.env) }, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === "number" ? error.code : 0, output: stdout + stderr }),
    ),
  );
}

test("an uninstallation is refused while objects need the operator, and the refusal says what to do", async () => {
  const world = await startWorld(sharedControlPlane());
  onTestFinished(() => world.stop());
  await world.apply(world.object("SSHKey", "laptop", { sshKey }));
  await world.ready("SSHKey", "laptop");
  const refused = await guard("--namespace", world.namespace);
  expect(refused.code).toBe(1);
  expect(refused.output).toContain(`sshkey/laptop in ${world.namespace}`);
  expect(refused.output).toContain(`cloudaccount/default in ${world.namespace}`);
  expect(refused.output).toContain("spec.management.deletionPolicy to Orphan");
  const everywhere = await guard();
  expect(everywhere.code).toBe(1);

  await world.remove("SSHKey", "laptop");
  await world.remove("CloudAccount", "default");
  await world.gone("CloudAccount", "default");
  const allowed = await guard("--namespace", world.namespace);
  expect(allowed).toEqual({ code: 0, output: "no object needs the operator\n" });
});

test("what the guard does not know is one line that names it", async () => {
  const { code, output } = await guard("--workers", "4");
  expect(code).toBe(2);
  expect(output).toMatch(/^unknown option '--workers'.*\n$/);
});
