/** The create request of an object, as the plan shows it. */
import type { Call, Request } from "../kind/call.ts";
import { creationBody, creationRequest, naturalKey } from "../kind/fields.ts";
import { nameOf, oneOf } from "../kind/naming.ts";
import { describeKey } from "../kind/words.ts";
import type { Located } from "../model/context.ts";
import { tagged } from "../model/tags.ts";
import { resolveReferences } from "../secrets/references.ts";
import { withoutHeld } from "../send/hand-over.ts";

/** Returns the create request. */
export function creationCall(ctx: Located): Request {
  const { kind } = ctx;
  const wanted = withoutHeld(ctx);
  return creationRequest(kind, wanted, tagged(ctx, creationBody(kind, wanted)));
}

/** Returns the create request with its description. */
export function describedCreation(ctx: Located): Call {
  const { kind, spec, desired, renews } = ctx;
  const replaced = renews ? `, which replaces ${nameOf(kind, renews.id)}` : "";
  const note = `creates ${oneOf(kind)} with ${describeKey(kind, spec, naturalKey(kind, desired))}${replaced}`;
  return { ...creationCall(ctx), action: "Create", note };
}

/** Returns the create request that follows a deletion, for the plan of the deletion. Throws as the creation does. */
export async function laterCreation(ctx: Located, renews?: Located["renews"]): Promise<Call> {
  const desired = await resolveReferences(ctx, { creating: true });
  return describedCreation({ ...ctx, desired, ...(renews && { renews }) });
}
