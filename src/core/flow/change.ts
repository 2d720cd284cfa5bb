/**
 * The one place where the core changes the cloud: its requests are permitted by the object's policy, counted against its
 * plan, and kept back where the object asks for something else by the time that they could leave.
 */
import type { Json } from "../../api/types.ts";
import type { Request } from "../kind/call.ts";
import { refuseChanged } from "../claim/confirm.ts";
import { isHttpError } from "../kind/outcome.ts";
import { refuseUnpermitted, spendApproval } from "./permission.ts";
import type { Located } from "./reconciliation.ts";

type Options = Parameters<Located["session"]["client"]["send"]>[3];

/** Throws `HttpError`; and `Error`, a fault of the operator itself, for what nobody asked the policy of the object for. */
export async function sendChange(at: Located, request: Request, options: Options): Promise<Json> {
  refuseUnpermitted(at, request);
  const { method, path, body, beta } = request;
  const onSent = () => {
    refuseChanged(at);
    options?.onSent?.();
  };
  try {
    const answer = await at.session.client.send(method, path, body, { ...options, onSent, ...(beta && { beta }) });
    spendApproval(at, request);
    return answer;
  } catch (error) {
    if (!isHttpError(error) || error.outcome !== "refused") spendApproval(at, request);
    throw error;
  }
}
