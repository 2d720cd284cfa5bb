/*
 * Serves tags and the objects with a tag.
 * Guarantees: only the objects store which tags they have, so a tag and its objects never disagree.
 * Imports server/, and the kinds of objects in the list of tagged objects. Other areas import use-tags.ts.
 */
import * as z from "zod";
import { permits } from "../server/auth/auth.ts";
import { ApiError, invalid, notFound } from "../server/errors.ts";
import { recordEvent } from "../server/events.ts";
import { rowList } from "../server/lists/paging.ts";
import { operation } from "../server/operation.ts";
import type { Context } from "../server/operation.ts";
import { optional, text } from "../server/wire.ts";
import { TAGS } from "./tables.ts";
import type { TagRow } from "./tables.ts";
import { existingTag } from "./use-tags.ts";
import { TAGGABLE, addTag, isTagInUse, objectsTagged, stripTag, tagAddress, tagsInUse } from "./taggable.ts";

const path = "/tags";
const one = `${path}/{tagLabel}`;
const ids = optional(z.array(z.int()));

const createBody = z.object({
  label: text(3, 50),
  computes: ids,
  domains: ids,
  nodebalancers: ids,
  volumes: ids,
  /** Sent by newer clients. */
  reserved_ipv4_addresses: optional(z.array(z.string())),
});

/** Serves tags to unrestricted users (part 3 section 4.5, not-shown section 6). */
export const tagOperations = [
  operation({
    method: "GET",
    path,
    summary: "List tags",
    scopes: ["account:read_only"],
    unrestricted: true,
    paged: { filterable: [] },
    handler: (context) => rowList(allTags(context), ({ label }) => ({ label })),
  }),
  operation({
    method: "POST",
    path,
    summary: "Create a tag and put it on objects",
    scopes: ["account:read_write"],
    unrestricted: true,
    body: createBody,
    handler(context) {
      const { world, account, body, caller } = context;
      const label = existingTag(world, account, body.label);
      if (!world.store.get(TAGS, account, label)) {
        world.store.put(TAGS, account, { label });
        recordEvent(world, account, { action: "tag_create", entity: tagEntity(label), caller });
      }
      for (const kind of TAGGABLE) {
        for (const [index, id] of (body[kind.field] ?? []).entries()) {
          const field = `${kind.field}.${index}`;
          if (!world.store.get(kind.table, account, id)) throw invalid(field, `There is no such object: ${id}`);
          if (!permits(caller, kind.type, id, "read_write"))
            throw new ApiError(403, [{ field, reason: "Unauthorized: read_write access is needed" }]);
          addTag(context, kind.table, id, label);
        }
      }
      for (const [index, address] of (body.reserved_ipv4_addresses ?? []).entries())
        tagAddress(context, address, label, `reserved_ipv4_addresses.${index}`);
      return { label };
    },
  }),
  operation({
    method: "GET",
    path: one,
    summary: "List the objects that carry a tag",
    scopes: ["account:read_only"],
    unrestricted: true,
    paged: { filterable: ["data.*"] },
    handler: (context) =>
      rowList(
        () => objectsTagged(context, tagOf(context)),
        ({ kind, row }) => ({ type: kind.type, data: kind.present(context, row as never) }),
      ),
  }),
  operation({
    method: "DELETE",
    path: one,
    summary: "Delete a tag and take it off all objects",
    scopes: ["account:read_write"],
    unrestricted: true,
    handler(context) {
      const { world, account, caller } = context;
      const label = tagOf(context);
      stripTag(context, label);
      world.store.remove(TAGS, account, label);
      recordEvent(world, account, { action: "tag_delete", entity: tagEntity(label), caller });
      return {};
    },
  }),
];

/** Returns the created tags, and the tags that only objects have. */
function allTags(context: Context): TagRow[] {
  const rows = context.world.store.all(TAGS, context.account);
  const used = tagsInUse(context);
  for (const { label } of rows) used.delete(label);
  return [...rows, ...Array.from(used, (label) => ({ label }))];
}

/** Returns the tag in the path. Throws 404. */
function tagOf(context: Context): string {
  const label = existingTag(context.world, context.account, context.params["tagLabel"] ?? "");
  const isKnown = context.world.store.get(TAGS, context.account, label) !== undefined || isTagInUse(context, label);
  if (!isKnown) throw notFound();
  return label;
}

function tagEntity(label: string): { id: string; label: string; type: string; url: string } {
  return { id: label, label, type: "tag", url: `/v4/tags/${encodeURIComponent(label)}` };
}
