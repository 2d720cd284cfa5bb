/** Errors for users: one sentence that names the cause, with the next step. */
import { HttpError } from "../api/errors.ts";
import { KubeError } from "../cluster/errors.ts";

/** Exit codes of every command. */
export const exitCodes = { ok: 0, error: 1, different: 2, condition: 3, interrupted: 130 } as const;

/** An error whose message is for users. The message names the cause and the next step. */
export class Failure extends Error {
  override readonly name = "Failure";
}

/** Returns the text of any error for users. Contains no stack trace and no secret. */
export function textOf(error: unknown): string {
  if (error instanceof HttpError) return `the cloud API: ${cloudText(error)}`;
  if (error instanceof KubeError) return `the Kubernetes API: ${error.message}${kubeStep(error)}`;
  return error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
}

function cloudText(error: HttpError): string {
  const said = error.errors.map(({ field, reason }) => (field === null ? reason : `${field}: ${reason}`)).join("; ");
  return `${error.message.replaceAll("\n", " ")}${said === "" || error.message.includes(said) ? "" : `: ${said}`}${cloudStep(error)}`;
}

function cloudStep({ status }: HttpError): string {
  if (status === 401) return ". Give a valid token";
  if (status === 403) return ". Give a token with the scope or the grant for this read";
  if (status === 404) return ". Check --endpoint and --brand-word";
  return status === undefined ? ". Check --endpoint and the network" : "";
}

function kubeStep({ status }: KubeError): string {
  if (status === 401) return ". Check the credentials of the kubeconfig";
  if (status === 403) return ". Ask for a role that permits this request";
  return status === undefined ? ". Check --kubeconfig, --context and the network" : "";
}
