/** A public key in OpenSSH form. */
export const publicKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGJyb2FkLWV4YW1wbGUta2V5LWZvci1kb2N1bWVudHMh";

/** Spec of the smallest instance with an image, in a region with user data and object storage. */
export const smallInstance = { region: "us-east", type: "g6-nanode-1", image: "compute/debian12" };

/** Spec of a Domain. */
export function zone(domain: string): { domain: string; type: string; soaEmail: string } {
  return { domain, type: "master", soaEmail: `hostmaster@${domain}` };
}
