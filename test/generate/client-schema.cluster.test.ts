import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { kinds } from "../../src/kinds/registry.ts";
import { ensureGoTool } from "../../tools/go-tool/ensure.ts";

/** What kubeconform says with our schemas and no others: it needs no cluster. */
let kubeconform: string;
beforeAll(async () => {
  kubeconform = await ensureGoTool("kubeconform");
});

const location = "crds/schemas/{{.Group}}/{{.ResourceKind}}_{{.ResourceAPIVersion}}.json";

function conform(args: string[], input = ""): Promise<{ code: number; said: string }> {
  return new Promise((resolve) => {
    const all = ["-strict", "-summary", "-schema-location", location, ...args];
    const child = execFile(kubeconform, all, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), said: stdout + stderr }),
    );
    child.stdin?.end(input);
  });
}

const firewall = {
  apiVersion: "cloudplatform.dev/v1alpha1",
  kind: "Firewall",
  metadata: { name: "web" },
  spec: { inboundPolicy: "DROP", outboundPolicy: "ACCEPT" },
};

describe("kubeconform, with the schemas of the kinds", () => {
  it("finds the samples right", async () => {
    const { code, said } = await conform(["-skip", "Secret", "deploy/samples"]);
    expect(code, said).toBe(0);
    expect(said).toMatch(/Valid: [1-9]\d*, Invalid: 0, Errors: 0/);
  });

  it("finds every example of every kind right", async () => {
    const texts = kinds.flatMap(({ kind, examples }) =>
      examples.map(({ name, spec }) =>
        stringify({ ...firewall, kind, metadata: { name: `${kind}-${name}`.toLowerCase() }, spec }),
      ),
    );
    const { code, said } = await conform(["-"], texts.join("---\n"));
    expect(code, said).toBe(0);
    expect(said).toContain(`Valid: ${texts.length},`);
  });

  it.each([
    { wrong: "a field that is none", spec: { ...firewall.spec, inboundPolice: "DROP" }, says: "'inboundPolice'" },
    {
      wrong: "a word that is none of them",
      spec: { ...firewall.spec, inboundPolicy: "NO" },
      says: "/spec/inboundPolicy",
    },
    { wrong: "a field that is missing", spec: { inboundPolicy: "DROP" }, says: "outboundPolicy" },
    { wrong: "a list that is a text", spec: { ...firewall.spec, tags: "web" }, says: "/spec/tags" },
    { wrong: "a field far down", spec: { ...firewall.spec, inbound: [{ port: "80" }] }, says: "/spec/inbound/0" },
  ])("names $wrong", async ({ spec, says }) => {
    const { code, said } = await conform(["-"], stringify({ ...firewall, spec }));
    expect(code).not.toBe(0);
    expect(said).toContain(says);
  });

  it("finds a schema for each kind", () => {
    const files = readdirSync("crds/schemas/cloudplatform.dev");
    expect(kinds.filter(({ kind }) => !files.includes(`${kind.toLowerCase()}_v1alpha1.json`))).toEqual([]);
  });
});
