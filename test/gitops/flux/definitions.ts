import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { moduleFolder } from "../../../tools/go-tool/module.ts";

export const sourceGroup = "source.toolkit.fluxcd.io";

const sources = { GitRepository: "gitrepositories", OCIRepository: "ocirepositories", Bucket: "buckets" };

/**
 * What kustomize-controller watches: its own definition, from the module it is built of, and sources of any form. No
 * source-controller runs, so that a source is just what it would have noted in the status.
 */
export function fluxDefinitions(): string {
  const text = execFileSync("go", ["mod", "download", "-json", "github.com/fluxcd/kustomize-controller"], {
    cwd: moduleFolder("kustomize-controller"),
    env: { ...process.env, GOWORK: "off" },
  });
  const { Dir } = JSON.parse(text.toString()) as { Dir: string };
  const own = readFileSync(join(Dir, "config/crd/bases/kustomize.toolkit.fluxcd.io_kustomizations.yaml"), "utf8");
  const others = Object.entries(sources).map(([kind, plural]) => JSON.stringify(sourceDefinition(kind, plural)));
  return [own, ...others].join("\n---\n");
}

function sourceDefinition(kind: string, plural: string) {
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${sourceGroup}` },
    spec: {
      group: sourceGroup,
      scope: "Namespaced",
      names: { kind, plural, listKind: `${kind}List`, singular: kind.toLowerCase() },
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  };
}
