/** The text about changes: one line for each value, with the old and the new value, and never a secret. */
import { describe, expect, it } from "vitest";
import type { Difference } from "../../../src/core/kind/differences.ts";
import { changesBetween, describeChanges, effectOf } from "../../../src/core/kind/changes.ts";
import { securityQuestions } from "../../../src/kinds/account/security-questions.ts";
import { computeInstance } from "../../../src/kinds/compute/compute-instance.ts";
import { domain } from "../../../src/kinds/domains/domain.ts";
import { firewall } from "../../../src/kinds/networking/firewall.ts";

const ssh = { action: "ACCEPT", protocol: "TCP", ports: "22", ipv4: ["203.0.113.0/24"] };
const web = { ...ssh, ports: "443" };
const sshText = '{"action":"ACCEPT","protocol":"TCP","ports":"22","ipv4":["203.0.113.0/24"]}';
const webText = sshText.replace("22", "443");

describe("the text about a change", () => {
  it.each([
    {
      because: "a value is written in the form of the spec",
      kind: domain,
      found: [{ field: "status", observed: "disabled", desired: "active" }],
      text: "enabled: false → true",
    },
    {
      because: "an absent value is nothing",
      kind: domain,
      found: [{ field: "ttl_sec", observed: undefined, desired: 300 }],
      text: "ttlSeconds: nothing → 300",
    },
    {
      because: "rules are told apart by their content, not by their place",
      kind: firewall,
      found: [{ field: "inbound", observed: [web, ssh], desired: [ssh] }],
      text: `inbound: ${webText} → nothing`,
    },
    {
      because: "a rule can come and another one can go",
      kind: firewall,
      found: [{ field: "inbound", observed: [web], desired: [ssh] }],
      text: `inbound: ${webText} → nothing; inbound: nothing → ${sshText}`,
    },
    {
      because: "the order of rules counts",
      kind: firewall,
      found: [{ field: "inbound", observed: [web, ssh], desired: [ssh, web] }],
      text: "inbound: other order",
    },
    {
      because: "a member of an object has its own line",
      kind: computeInstance,
      found: [{ field: "backups", observed: { enabled: false }, desired: { enabled: true } }],
      text: "backups.enabled: false → true",
    },
    {
      because: "a sensitive value is not shown",
      kind: securityQuestions,
      found: [{ field: "security_questions", observed: "hunter2", desired: "hunter3" }],
      text: "questions: (sensitive)",
    },
  ])("$because", ({ kind, found, text }) => {
    expect(describeChanges(kind, found as Difference[], {})).toBe(text);
  });

  it("is cut to the length of an event, and counts the rest", () => {
    const tags = Array.from({ length: 100 }, (_, index) => `${index}`.repeat(50));
    const text = describeChanges(domain, [{ field: "tags", observed: tags, desired: [] }], {});
    expect(text.length).toBeLessThanOrEqual(900);
    const long = describeChanges(domain, [{ field: "tags", observed: "abcdefghijklm".split(""), desired: [] }], {});
    expect(long).toMatch(/; and 3 more changes$/);
  });

  it("of a call without changed values is its note", () => {
    expect(effectOf(domain, { note: "uploads a certificate" }, {})).toBe("uploads a certificate");
  });
});

it("only members that the spec has are compared", () => {
  const cloud = { acl: "public-read", corsEnabled: true };
  expect(changesBetween({ acl: "private" }, cloud)).toEqual([
    { field: "acl", observed: "public-read", desired: "private" },
  ]);
});
