/** `retry`: permits one more request after a request with an unknown outcome. */
import { titleOf } from "../objects.ts";
import type { KubeObject } from "../../cluster/types.ts";
import { retryCreateAnnotation } from "../../core/kind/annotations.ts";
import { oneOf } from "../../core/kind/naming.ts";
import { readyOf, statusOf } from "../../core/kind/object.ts";
import { statedEntryIn } from "../../core/model/journal.ts";
import { verb } from "../change.ts";
import type { Change } from "../change.ts";
import { Failure } from "../failure.ts";
import type { Named, NamedKind } from "../objects.ts";
import { offeredRetry } from "../offers.ts";

export const retry = verb({
  name: "retry",
  summary: "Permits a request again, after a request with an unknown outcome.",
  description:
    "For an object with the reason CreateUncertain or OperationUncertain. First check in the cloud that the request had no effect: the operator sends it once more. The permission is valid for this attempt only.",
  examples: [
    ["retry computeinstance web-2", "permits a new create request for the ComputeInstance web-2"],
    ["retry computeaction reboot -n shop --yes", "sends the operation of the ComputeAction again, without a question"],
  ],
  decide: (named) => retryOf(named),
});

/** Throws `Failure` if the operator waits for no permission. */
function retryOf({ kind, object }: Named): Change {
  const { reason = "no condition", message = "" } = readyOf(statusOf(object).conditions) ?? {};
  const name = titleOf(object);
  const offer = offeredRetry(object);
  if (!offer) throw new Failure(`${name} waits for no retry (${reason}), so there is nothing to permit`);
  const { annotation, value } = offer;
  if (object.metadata.annotations?.[annotation] === value)
    throw new Failure(
      `the retry ${value} of ${name} is already permitted. Wait until the operator has sent the request`,
    );
  const isCreate = annotation === retryCreateAnnotation;
  return {
    patch: { metadata: { annotations: { [annotation]: value } } },
    effects: [message, isCreate ? createText(kind, object, value) : operationText(object, value)],
    done: `retry ${value} permitted`,
  };
}

function createText(kind: NamedKind, object: KubeObject, attempt: string): string {
  const { attempt: recorded, time } = statedEntryIn(object) ?? {};
  const since = recorded === attempt && time !== undefined ? ` of ${time}` : "";
  const risk = kind.billable === true ? ", and both cost money" : "";
  return `The operator sends one more create request instead of attempt ${attempt}${since}. If the cloud executed the earlier request, the account then has ${oneOf(kind)} too many${risk}.`;
}

function operationText(object: KubeObject, id: string): string {
  const operation = statedEntryIn(object)?.operations?.find((one) => one.id === id);
  const what = operation ? `${operation.action} of ${operation.time}` : "the operation";
  return `The operator sends ${what} (${id}) once more. If the cloud executed the earlier request, the second one repeats its effect.`;
}
