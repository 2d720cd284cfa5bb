import * as z from "zod";
import { notFound } from "../server/errors.ts";
import { recordEvent } from "../server/events.ts";
import { rowList } from "../server/lists/paging.ts";
import { operation, rowOf } from "../server/operation.ts";
import type { Context } from "../server/operation.ts";
import { optional, text, timestamp } from "../server/wire.ts";
import { SSH_KEYS } from "./tables.ts";
import type { SSHKeyRow } from "./tables.ts";

const path = "/profile/sshkeys";
const label = optional(text(0, 64));
const sshKey = z.string().regex(/^(ssh|ecdsa|sk)-\S+ \S+/, "Must be an SSH public key");

/** Serves the calling user's SSH keys (not-shown section 6). */
export const sshKeyOperations = [
  operation({
    method: "GET",
    path,
    summary: "List SSH keys",
    scopes: ["account:read_only"],
    paged: { filterable: ["label"] },
    handler: ({ world, account, caller }) =>
      rowList(world.store.children(SSH_KEYS, account, caller.user.username), present),
  }),
  operation({
    method: "POST",
    path,
    summary: "Add an SSH key",
    scopes: ["account:read_write"],
    body: z.object({ label, ssh_key: sshKey }),
    handler(context) {
      const { world, account, caller, body, now } = context;
      const id = world.store.nextId("sshkey");
      const row = { id, username: caller.user.username, label: body.label ?? "", ssh_key: body.ssh_key, created: now };
      return told(context, "user_ssh_key_add", world.store.put(SSH_KEYS, account, row));
    },
  }),
  operation({
    method: "GET",
    path: `${path}/{sshKeyId}`,
    summary: "View an SSH key",
    scopes: ["account:read_only"],
    handler: (context) => present(own(context)),
  }),
  operation({
    method: "PUT",
    path: `${path}/{sshKeyId}`,
    summary: "Rename an SSH key",
    scopes: ["account:read_write"],
    body: z.object({ label }),
    handler(context) {
      const key = own(context);
      const renamed = { ...key, label: context.body.label ?? key.label };
      return told(context, "user_ssh_key_update", context.world.store.put(SSH_KEYS, context.account, renamed));
    },
  }),
  operation({
    method: "DELETE",
    path: `${path}/{sshKeyId}`,
    summary: "Delete an SSH key",
    scopes: ["account:read_write"],
    handler(context) {
      const key = own(context);
      context.world.store.remove(SSH_KEYS, context.account, key.id);
      told(context, "user_ssh_key_delete", key);
      return {};
    },
  }),
];

function own(context: Context): Readonly<SSHKeyRow> {
  const key = rowOf(context, SSH_KEYS, context.params["sshKeyId"]);
  if (key.username !== context.caller.user.username) throw notFound();
  return key;
}

function told({ world, account, caller }: Context, action: string, key: Readonly<SSHKeyRow>): unknown {
  const entity = { id: key.id, label: key.label, type: "user_ssh_key", url: `/v4${path}/${key.id}` };
  recordEvent(world, account, { action, entity, caller });
  return present(key);
}

function present({ id, label: name, ssh_key, created }: SSHKeyRow): Record<string, unknown> {
  return { id, label: name, ssh_key, created: timestamp(created) };
}
