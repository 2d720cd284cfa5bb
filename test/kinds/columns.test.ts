/** Rules for the columns of `kubectl get` and for the order of `kubectl describe`, for every kind. */
import { describe, expect, it } from "vitest";
import { customResourceDefinition, resourceOf } from "../../src/generate/crd.ts";
import { enabledKinds } from "../../src/wiring/enabled.ts";
import { cloudAccount } from "../../src/kinds/account/cloud-account.ts";
import type { OpenApi } from "../../src/generate/open-api.ts";

const { kinds, mirrors } = enabledKinds();
const versions = [cloudAccount, ...kinds, ...mirrors].map((kind) => {
  const [version] = customResourceDefinition(resourceOf(kind)).spec.versions;
  if (!version) throw new Error(`${kind.kind} has no version`);
  return [kind.kind, version] as const;
});

/** Texts with a high limit that identify the object, and are short in practice. */
const names = /^\.status\.id$|^\.spec\.\w+Ref\.name$|^\.status\.\w*[sS]ecretName$|^\.spec\.domain$|^\.status\.name$/;

describe.each(versions)("%s", (_kind, { additionalPrinterColumns: columns, schema }) => {
  it("ends its row with the condition Ready: status, reason, message", () => {
    expect(columns.slice(-4).map(({ name }) => name)).toEqual(["Age", "Ready", "Reason", "Message"]);
    expect(columns.slice(-4).filter((column) => "priority" in column)).toEqual([]);
  });

  it("has no column with a long text or a list", () => {
    const long = columns.slice(0, -4).filter(({ jsonPath }) => isLong(at(schema.openAPIV3Schema, jsonPath)));
    expect(long.map(({ jsonPath }) => jsonPath).filter((path) => !names.test(path))).toEqual([]);
  });

  it("shows the name of each Secret that the status names", () => {
    const status = Object.keys(schema.openAPIV3Schema.properties?.["status"]?.properties ?? {});
    const secrets = status.filter((field) => /secretName$/i.test(field)).map((field) => `.status.${field}`);
    expect(columns.map(({ jsonPath }) => jsonPath)).toEqual(expect.arrayContaining(secrets));
  });

  it("shows the conditions first in kubectl describe", () => {
    const status = Object.keys(schema.openAPIV3Schema.properties?.["status"]?.properties ?? {});
    expect(status.toSorted()[0]).toBe("conditions");
  });
});

function isLong({ type, maxLength = Infinity, format, enum: words }: OpenApi): boolean {
  if (type === "array" || type === "object") return true;
  return type === "string" && maxLength > 128 && format !== "date-time" && words === undefined;
}

function at(schema: OpenApi, jsonPath: string): OpenApi {
  const fields = jsonPath.replaceAll("[0]", ".[0]").split(".").slice(1);
  const found = fields.reduce<OpenApi | undefined>(
    (node, field) => (field === "[0]" ? node?.items : node?.properties?.[field]),
    schema,
  );
  if (!found) throw new Error(`no field ${jsonPath}`);
  return found;
}
