import * as z from "zod";
import { defineOwned } from "../../core/kind/owned.ts";
import { labelField, nameFits } from "../label.ts";
import { immutable } from "../../core/kind/schema.ts";
import { publicKey } from "../public-key.ts";
import { optionalTime, rfc3339 } from "../time.ts";
import { whole } from "../wire.ts";
import { optionalText } from "../text.ts";

/** SSH keys in the profile of the token's user: not-shown, section 6. */
export const sshKey = defineOwned({
  kind: "SSHKey",
  plural: "sshkeys",
  shortNames: ["cpkey"],
  doc: "A public SSH key in the profile of the token's user, for `authorizedUsers` of instances.",
  columns: [{ name: "ID", jsonPath: ".status.id" }],
  spec: z.object({
    label: optionalText(64, "Label of the key. Defaults to the name of the object."),
    sshKey: immutable(
      publicKey.describe(
        "Public key in OpenSSH form: type, base64, comment. The cloud API cannot change a key. For a new key, create a new object.",
      ),
    ),
  }),
  status: z.object({ created: optionalTime("Creation time in the cloud.") }),
  wire: z.object({ id: whole(), label: z.string(), ssh_key: z.string(), created: z.string().nullish() }),
  admission: [nameFits({ min: 1, max: 64 })],
  reach: "account",
  listPath: () => "/profile/sshkeys",
  ofUser: true,
  fields: {
    label: labelField,
    ssh_key: { desired: ({ spec }) => spec.sshKey, observed: (wire) => wire.ssh_key, key: true, fixed: true },
  },
  unique: "none",
  createdField: "created",
  report: ({ wire }) => ({ created: rfc3339(wire.created) }),
  examples: [
    {
      name: "laptop",
      doc: "The key of a laptop.",
      spec: { sshKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGJyb2FkLWV4YW1wbGUta2V5LWZvci1kb2N1bWVudHMh ada@laptop" },
      changes: { label: { label: "laptop-renamed" } },
      sample: true,
    },
    {
      name: "desktop",
      doc: "A key whose label in the cloud differs from the name of the object.",
      spec: {
        label: "Ada's desktop",
        sshKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGJyb2FkLWV4YW1wbGUta2V5LWZvci1kb2N1bWVudHMh ada@desktop",
      },
      shownOnly: true,
    },
  ],
});
