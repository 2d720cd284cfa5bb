import { describe, expect, it } from "vitest";
import { nameOf, sentence } from "../../../src/core/kind/naming.ts";

describe("a name of a cloud object contains the noun, the ID and the label", () => {
  it.each([
    [{ kind: "SSHKey" }, "1001", { label: "laptop" }, "SSH key 1001 (laptop)"],
    [{ kind: "IPv6Range" }, "2001:db8::", {}, "IPv6 range 2001:db8::"],
    [{ kind: "IPAddress" }, "192.0.2.1", {}, "IP address 192.0.2.1"],
    [{ kind: "ObjectStorageKey" }, "7", { label: "" }, "object storage key 7"],
    [{ kind: "Bucket" }, "us-east-1/media", { label: "media" }, "bucket us-east-1/media"],
    [{ kind: "ComputeInstance", noun: "instance" }, "1001", { label: "web" }, "instance 1001 (web)"],
    [
      { kind: "Domain", labelFields: ["domain"] },
      "7",
      { domain: "example.org", label: "no" },
      "domain 7 (example.org)",
    ],
    [{ kind: "Profile", idInWords: "omitted" as const }, "1", { label: "x" }, "profile"],
    [{ kind: "Tag" }, undefined, {}, "tag"],
  ])("%o", (kind, id, row, name) => {
    expect(nameOf(kind, id, row)).toBe(name);
  });
});

describe("a message starts with a capital letter", () => {
  it.each([
    ["instance 1001 is as specified", "Instance 1001 is as specified"],
    ["spec.label: must be short", "spec.label: must be short"],
    ["label: a → b", "label: a → b"],
    ["kubectl annotate x", "kubectl annotate x"],
    ["the cloud", "The cloud"],
    ["", ""],
  ])("%s", (text, told) => {
    expect(sentence(text)).toBe(told);
  });
});
