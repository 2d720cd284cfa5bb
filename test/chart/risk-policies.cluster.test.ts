import { stringify } from "yaml";
import { beforeAll, describe, expect, vi } from "vitest";
import type { Kubectl } from "../../tools/local-cluster/kubectl.ts";
import { installDefinitions } from "../support/definitions.ts";
import { sharedControlPlane } from "../support/control-plane.ts";
import { clusterTest } from "../support/namespace.ts";

const firewall = { inboundPolicy: "DROP", outboundPolicy: "ACCEPT" };
const opened = (rule: object) => ({
  ...firewall,
  inbound: [{ action: "ACCEPT", protocol: "TCP", ipv4: ["0.0.0.0/0"], ...rule }],
});
const instance = { region: "us-east", type: "g6-standard-1" };
const bucket = { cluster: "us-east-1" };
const url = { bucketRef: { name: "media" }, objectKey: "robots.txt" };
const database = { engine: "mysql/8.0.30", region: "us-east", type: "g6-standard-1" };

interface Case {
  kind: string;
  spec: object;
  why: string;
  /** What each warning says, in order; none: kubectl says nothing. */
  warns: string[];
}

const cases: Case[] = [
  { kind: "Firewall", spec: firewall, warns: [], why: "everything is shut" },
  { kind: "Firewall", spec: opened({ ports: "443" }), warns: [], why: "a web server is for everybody" },
  { kind: "Firewall", spec: opened({ ports: "22" }), warns: ["reach port 22 (SSH)"], why: "SSH for everybody" },
  {
    kind: "Firewall",
    spec: opened({ ports: "80, 20-25" }),
    warns: ["reach port 22 (SSH)"],
    why: "SSH stands in a range",
  },
  {
    kind: "Firewall",
    spec: opened({ ports: "3306,5432" }),
    warns: ["port 3306 (MySQL)", "port 5432 (PostgreSQL)"],
    why: "each port is named",
  },
  {
    kind: "Firewall",
    spec: opened({}),
    warns: ["port 22", "port 3306", "port 3389", "port 5432", "port 6379", "port 27017"],
    why: "a rule without ports is of all",
  },
  {
    kind: "Firewall",
    spec: opened({ ipv4: undefined, ipv6: ["::/0"], ports: "22" }),
    warns: ["port 22"],
    why: "everybody by IPv6",
  },
  { kind: "Firewall", spec: opened({ ipv4: ["203.0.113.0/24"], ports: "22" }), warns: [], why: "for a few alone" },
  { kind: "Firewall", spec: opened({ action: "DROP", ports: "22" }), warns: [], why: "it shuts SSH" },
  { kind: "Firewall", spec: opened({ protocol: "UDP", ports: "22" }), warns: [], why: "SSH is over TCP" },
  {
    kind: "Firewall",
    spec: { ...firewall, inboundPolicy: "ACCEPT" },
    warns: ["spec.inboundPolicy is ACCEPT"],
    why: "nothing is kept out",
  },
  { kind: "Firewall", spec: { ...firewall, inboundPolicy: "ACCEPT", enabled: false }, warns: [], why: "it is off" },
  {
    kind: "ComputeInstance",
    spec: { ...instance, allowDisruption: ["Resize"] },
    warns: ["spec.allowDisruption also permits the next change"],
    why: "the next change disrupts too",
  },
  { kind: "ComputeInstance", spec: instance, warns: [], why: "the default of deletionPolicy is nobody's choice" },
  {
    kind: "ComputeInstance",
    spec: { ...instance, management: { deletionPolicy: "Delete" } },
    warns: ["deletes its data in the cloud"],
    why: "it holds data",
  },
  {
    kind: "ComputeInstance",
    spec: { ...instance, management: { deletionPolicy: "Delete", protect: true } },
    warns: [],
    why: "the API server refuses to delete it",
  },
  {
    kind: "Firewall",
    spec: { ...firewall, management: { deletionPolicy: "Delete" } },
    warns: [],
    why: "it holds none",
  },
  { kind: "AccessPolicy", spec: { apps: { allow: [] } }, warns: [], why: "each app that may be its own stays" },
  {
    kind: "AccessPolicy",
    spec: { apps: { allow: [], notOwn: ["13"] } },
    warns: ["spec.apps.notOwn is given"],
    why: "what is said may be wrong",
  },
  { kind: "PresignedURL", spec: { ...url, method: "GET" }, warns: [], why: "it reads one object" },
  {
    kind: "PresignedURL",
    spec: { ...url, method: "DELETE" },
    warns: ["spec.method is not GET"],
    why: "whoever has it may delete",
  },
  {
    kind: "BucketObject",
    spec: { ...url, contentSecretRef: { name: "robots" }, acl: "public-read-write" },
    warns: ["every client may write to the object"],
    why: "every client may write at your cost",
  },
  {
    kind: "Bucket",
    spec: { ...bucket, forceEmpty: true, acl: "public-read-write" },
    warns: ["spec.forceEmpty is true", "spec.acl is public-read-write"],
    why: "two risks are two warnings",
  },
  {
    kind: "ManagedMySQL",
    spec: { ...database, allowList: ["192.0.2.1", "0.0.0.0/0"] },
    warns: ["spec.allowList lets the whole internet"],
    why: "a database for everybody",
  },
];

async function warningsOf(kubectl: Kubectl, { kind, spec }: Case, namespace: string, name: string): Promise<string[]> {
  const metadata = { name, namespace };
  const input = stringify({ apiVersion: "cloudplatform.dev/v1alpha1", kind, metadata, spec });
  const { code, stderr } = await kubectl(["create", "--dry-run=server", "-f", "-"], { input });
  expect(code, stderr).toBe(0);
  return stderr.split("\n").filter((line) => line.startsWith("Warning: "));
}

describe("what a person may regret is warned of, and taken", () => {
  const { kubectl } = sharedControlPlane();

  /** The API server knows of a policy a moment after it was stored. */
  beforeAll(async () => {
    await installDefinitions(kubectl);
    const first = [...Map.groupBy(cases, ({ kind }) => kind)].map(([, all]) =>
      all.find(({ warns }) => warns.length > 0),
    );
    for (const one of first) {
      if (one)
        await vi.waitFor(
          async () => expect(await warningsOf(kubectl, one, "default", "probe")).not.toEqual([]),
          20_000,
        );
    }
  });

  clusterTest("by expressions of which the API server has found the types right", async ({ cluster }) => {
    const { stdout } = await cluster.kubectl(["get", "validatingadmissionpolicies", "-o", "json"]);
    const { items } = JSON.parse(stdout) as { items: { metadata: { name: string }; status?: object }[] };
    const risks = items.filter(({ metadata }) => metadata.name.startsWith("risks."));
    expect(risks.length).toBeGreaterThan(3);
    const doubts = risks.filter(({ status }) => JSON.stringify(status ?? {}).includes("expressionWarnings"));
    expect(doubts.map(({ metadata, status }) => [metadata.name, status])).toEqual([]);
  });

  clusterTest("by kubectl, in words that name the field", async ({ cluster, namespace }) => {
    const said: Record<string, string[]> = {};
    const wanted: Record<string, string[]> = {};
    for (const [index, one] of cases.entries()) {
      const { kind, warns, why } = one;
      const warnings = await warningsOf(cluster.kubectl, one, namespace, `risk-${index}`);
      // Shown as they are where they are not as wanted.
      const met = warnings.length === warns.length && warns.every((text, place) => warnings[place]?.includes(text));
      said[`${kind}: ${why}`] = met ? warns : warnings;
      wanted[`${kind}: ${why}`] = warns;
    }
    expect(said).toEqual(wanted);
  });

  clusterTest("once, and not again for an edit of something else", async ({ cluster, namespace }) => {
    const apply = async (labels: object, ports: string, more: object = {}) => {
      const metadata = { name: "open", namespace, labels };
      const spec = { ...opened({ ports }), management: { policy: "Paused" }, ...more };
      const input = stringify({ apiVersion: "cloudplatform.dev/v1alpha1", kind: "Firewall", metadata, spec });
      return (await cluster.kubectl(["apply", "-f", "-"], { input })).stderr;
    };
    expect(await apply({}, "22")).toContain("port 22");
    expect(await apply({ team: "web" }, "22")).toBe("");
    expect(await apply({ team: "web" }, "22", { outboundPolicy: "DROP" })).toBe("");
    expect(await apply({ team: "web" }, "22,3306")).toContain("port 3306");
  });

  clusterTest("about allowDisruption only if the list changes", async ({ cluster, namespace }) => {
    const apply = async (more: object) => {
      const metadata = { name: "allowed", namespace };
      const spec = { ...instance, management: { policy: "Paused" }, ...more };
      const input = stringify({ apiVersion: "cloudplatform.dev/v1alpha1", kind: "ComputeInstance", metadata, spec });
      return (await cluster.kubectl(["apply", "-f", "-"], { input })).stderr;
    };
    expect(await apply({})).toBe("");
    expect(await apply({ allowDisruption: ["Resize"] })).toContain("spec.allowDisruption also permits");
    expect(await apply({ allowDisruption: ["Resize"], tags: ["web"] })).toBe("");
    expect(await apply({ allowDisruption: ["Resize", "Migrate"], tags: ["web"] })).toContain("also permits");
  });
});
