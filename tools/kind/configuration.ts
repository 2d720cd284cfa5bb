import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { auditPolicy } from "../local-cluster/audit-policy.ts";

/** Configuration of a kind cluster whose API server writes an audit log into `audit`, a folder of this machine. */
export function clusterConfiguration(folder: string, audit: string): string {
  const policy = join(folder, "audit-policy.yaml");
  writeFileSync(policy, stringify(auditPolicy));
  const inNode = { policy: "/etc/kubernetes/audit/policy.yaml", log: "/var/log/kubernetes" };
  const apiServer = {
    apiServer: {
      extraArgs: {
        "audit-policy-file": inNode.policy,
        "audit-log-path": `${inNode.log}/audit.log`,
        "audit-log-maxsize": "4096",
      },
      extraVolumes: [
        { name: "audit-policy", hostPath: inNode.policy, mountPath: inNode.policy, readOnly: true, pathType: "File" },
        { name: "audit-log", hostPath: inNode.log, mountPath: inNode.log, pathType: "DirectoryOrCreate" },
      ],
    },
  };
  return stringify({
    kind: "Cluster",
    apiVersion: "kind.x-k8s.io/v1alpha4",
    nodes: [
      {
        role: "control-plane",
        kubeadmConfigPatches: [stringify({ kind: "ClusterConfiguration", ...apiServer })],
        extraMounts: [
          { hostPath: policy, containerPath: inNode.policy, readOnly: true },
          { hostPath: audit, containerPath: inNode.log },
        ],
      },
    ],
  });
}
