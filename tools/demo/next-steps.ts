import type { Row } from "./table.ts";

export interface NextSteps {
  kubeconfigPath: string;
  kubectlCommand: string;
  namespace: string;
  /** Somebody else's cluster, where the operator keeps to a namespace. */
  foreign: boolean;
  cloud: string;
  /** Address of the simulator's page, with what a browser has to say there. */
  page: string;
  token: string;
  metrics: string;
  operatorLog: string;
  rows: Row[];
}

/** What a person may try now, made for the objects that are there. */
export function nextSteps(options: NextSteps): string[] {
  const { kubeconfigPath, kubectlCommand, foreign, namespace, cloud, page, token, metrics, operatorLog, rows } =
    options;
  const kubectl = namespace === "default" ? "kubectl" : `kubectl -n ${namespace}`;
  const first = rows.find((row) => row.kind === "ComputeInstance") ?? rows.find((row) => row.kind !== "CloudAccount");
  const object = first === undefined ? "" : `${first.kind.toLowerCase()}/${first.name}`;
  // Nothing refers to these, so that their deletion does not wait.
  const free = rows.find((row) => row.kind === "Firewall") ?? rows.find((row) => row.kind === "SSHKey") ?? first;
  const deletable = free === undefined ? "" : `${free.kind.toLowerCase()}/${free.name}`;
  return [
    "In another terminal:",
    "",
    `  export KUBECONFIG=${kubeconfigPath}`,
    ...(kubectlCommand === "kubectl" ? [] : [`  alias kubectl=${kubectlCommand}`]),
    "",
    `  ${kubectl} get cloudplatform    # every object of every kind`,
    ...(foreign ? [] : [`  ${kubectl} get cpregions,cptypes    # what the cloud offers`]),
    `  ${kubectl} describe ${object}    # its conditions and events`,
    `  curl -H 'Authorization: Bearer ${token}' ${cloud}/v4/compute/instances    # the same from the cloud's side`,
    `  ${kubectl} delete ${deletable}    # goes from the cloud, too`,
    `  curl -s ${metrics} | grep ^cloudplatform_    # what the operator did`,
    "",
    "In a browser, the cloud as it is now, to change behind the operator's back:",
    "",
    `  ${page}`,
    `  where the browser asks: name ${new URL(page).username}, password ${new URL(page).password}`,
    "",
    `The operator's log is ${operatorLog}`,
  ];
}
