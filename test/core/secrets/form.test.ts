/** The form of a published Secret: the operator measures the templates before it renders them. */
import { describe, expect, it } from "vitest";
import { formed, valuesIn } from "../../../src/core/secrets/form.ts";

const specOf = (template: Record<string, string>) => ({ connectionSecret: { template } });

const limit = 524_288;

/** Bytes of all values, as Kubernetes counts them. */
function bytesOf(data: Record<string, string>): number {
  return Object.values(data).reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}

describe("a template", () => {
  it("whose text would be longer than any string is refused before the operator renders the text", () => {
    const values = { url: "u".repeat(1_000_000), method: "GET" };
    const { data, refusal } = formed(specOf({ curl: "{{ .url }}".repeat(1_024) }), values, undefined);
    expect(refusal?.message).toContain("spec.connectionSecret.template: ");
    expect(data).toEqual(values);
  });

  it("that is too large leaves the published values in the Secret, under their own names", () => {
    const spec = { connectionSecret: { keys: { url: "URL" }, template: { curl: "{{.url}}".repeat(32), short: "x" } } };
    const { data } = formed(spec, { url: "u".repeat(20_000) }, undefined);
    expect(data).toEqual({ URL: "u".repeat(20_000) });
  });

  it("that is too large names its key, the size, and the limit", () => {
    const template = { small: "{{ .url }}", large: "{{ .url }}{{ .url }}".repeat(30) };
    const { refusal } = formed(specOf(template), { url: "u".repeat(10_000) }, undefined);
    expect(refusal?.message).toBe(
      "spec.connectionSecret.template: the Secret would have 620,000 bytes, and the limit is 524,288 bytes. Key large has 600,000 bytes. " +
        "The operator publishes the Secret without the keys of the template. Use fewer placeholders or shorter texts",
    );
  });

  it.each([
    { reason: "ASCII", url: "u" },
    { reason: "two bytes for a character", url: "é" },
    { reason: "four bytes for two UTF-16 units", url: "😀" },
  ])("counts bytes as Kubernetes does: $reason", ({ url }) => {
    const value = url.repeat(100_000 / Buffer.byteLength(url));
    const rest = "é".repeat((limit - 300_000) / 2);
    const fits = formed(specOf({ twice: `{{.url}}{{ .url }}${rest}` }), { url: value }, undefined);
    expect(fits.refusal).toBeUndefined();
    expect(bytesOf(fits.data)).toBe(limit);
    const exceeds = formed(specOf({ twice: `{{.url}}{{ .url }}${rest}x` }), { url: value }, undefined);
    expect(exceeds.refusal?.message).toContain("524,289 bytes");
    expect(exceeds.data).toEqual({ url: value });
  });

  it("without a value for a placeholder costs nothing of the limit", () => {
    const template = { none: "{{ .ca }}".repeat(30), some: "{{ .url }}" };
    const { data, refusal } = formed(specOf(template), { url: "u" }, undefined);
    expect(data).toEqual({ url: "u", some: "u" });
    expect(refusal?.message).toContain("spec.connectionSecret.template.none: ");
  });
});

describe("the search for published values under unknown keys", () => {
  const names = ["id", "secret"];

  it("finds short values beside large texts of a template", () => {
    const large = Object.fromEntries(Array.from({ length: 32 }, (_, at) => [`k${at}`, `${at}`.padEnd(15_000)]));
    const data = { ...large, a: "key", b: "shown once" };
    const isThese = ({ id, secret }: Record<string, string>) => id === "key" && secret === "shown once";
    expect(valuesIn({ data }, names, isThese)).toEqual({ id: "key", secret: "shown once" });
  });

  it.each([{ wanted: names }, { wanted: ["url"] }])(
    "hashes 10 MB at most for $wanted, whatever the Secret contains",
    ({ wanted }) => {
      const texts = Array.from({ length: 64 }, (_, at) => [`k${at}`, `${at}`.padEnd(15_000)]);
      let hashed = 0;
      const isThese = (values: Record<string, string>) => {
        hashed += bytesOf(values);
        return false;
      };
      expect(valuesIn({ data: Object.fromEntries(texts) }, wanted, isThese)).toBeUndefined();
      expect(hashed).toBeLessThan(10_000_000);
    },
  );
});
