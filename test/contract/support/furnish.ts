import type { Simulator } from "../../../src/simulator/simulator.ts";

/** What examples suppose of every cloud: a user `ada` with an SSH key, and a name server that transfers a zone. */
export async function furnish({ control, url }: Simulator): Promise<void> {
  control.addUser("demo", { username: "ada" });
  control.addToken({ token: "token-of-ada", username: "ada" });
  await fetch(`${url}/v4/profile/sshkeys`, {
    method: "POST",
    headers: { authorization: "Bearer token-of-ada" },
    body: JSON.stringify({
      label: "laptop of ada",
      ssh_key: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEFkYS1Mb3ZlbGFjZS1BZGEtTG92ZWxhY2UtQWRhLUxv ada@laptop",
    }),
  });
  const zone = { nameserver: "ns1.example.net", domain: "imported.example.org" };
  control.domains.setRemoteZone({ ...zone, soa_email: "hostmaster@example.org" });
}
