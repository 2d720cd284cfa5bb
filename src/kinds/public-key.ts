import * as z from "zod";
import { asValue } from "../core/kind/leaf-class.ts";
import { matching } from "../core/kind/schema.ts";

/** The base64 of a key begins with the name of its type (RFC 4253, section 6.6); the shortest key (Ed25519) has 68 characters. */
const begins = [
  "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI",
  "ssh-rsa AAAAB3NzaC1yc2E",
  "ssh-dss AAAAB3NzaC1kc3M",
  "ecdsa-sha2-nistp(256|384|521) AAAAE2VjZHNhLXNoYTItbmlzdH",
  "sk-(ssh-ed25519|ecdsa-sha2-nistp256)@openssh[.]com AAAA",
];
const keyForm = `^(${begins.join("|")})[A-Za-z0-9+/]{43,}={0,2}( .*)?$`;

/** A public SSH key, as in a file that ends with `.pub`. */
export const publicKey = matching(
  asValue(z.string().min(20).max(4096)).describe(
    "A public key in OpenSSH format: type, base64 data, and an optional comment.",
  ),
  keyForm,
  "must be a whole public key in OpenSSH form, such as: ssh-ed25519 AAAA… comment (a line of a file that ends with .pub)",
);
