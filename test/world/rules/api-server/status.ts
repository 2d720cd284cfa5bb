import type { KubeObject } from "../../../../src/cluster/types.ts";
import type { Rule } from "../rule.ts";
import { keys, made, outcome } from "./side.ts";
import type { ApiServer } from "./side.ts";

const otherUid = "00000000-0000-4000-8000-00000000abcd";

function patchStatus({ patch, ref }: ApiServer, status: unknown, more: object = {}): Promise<KubeObject> {
  return patch(keys, ref, { status, ...more }, "status");
}

/** The status, a resource beside the object. */
export const statusRules: Rule<ApiServer>[] = [
  {
    rule: "a patch of the object leaves the status as it is, one of the status all else",
    why: "people cannot forge a status by editing, and the operator cannot edit a spec",
    async run(server) {
      await made(server);
      const { status } = await server.patch(keys, server.ref, { status: { id: "1" } });
      const labels = { a: "b" };
      const finalizers = ["test/held"];
      const { spec, metadata, ...rest } = await patchStatus(
        server,
        { id: "2" },
        { spec: { label: "b" }, metadata: { labels, finalizers } },
      );
      return [status, spec?.["label"], metadata.labels, metadata.finalizers, rest.status];
    },
    gives: [{ observedGeneration: -1 }, "a", undefined, undefined, { observedGeneration: -1, id: "2" }],
  },
  {
    rule: "a status patch is taken whatever uid it names",
    why: "the resourceVersion alone keeps a status off another object of the name",
    async run(server) {
      await made(server);
      return outcome(patchStatus(server, { id: "1" }, { metadata: { uid: otherUid } }));
    },
    gives: "done",
  },
  {
    rule: "a status patch of an older version is refused, also where only the rest has changed, or nothing would",
    why: "patchStatus sends it again or has the caller look anew",
    async run(server) {
      const { resourceVersion } = (await made(server)).metadata;
      await server.patch(keys, server.ref, { spec: { label: "b" } });
      const guard = { metadata: { resourceVersion } };
      return [
        await outcome(patchStatus(server, { id: "1" }, guard)),
        await outcome(patchStatus(server, { observedGeneration: -1 }, guard)),
      ];
    },
    gives: ["409 Conflict", "409 Conflict"],
  },
  {
    rule: "a status that breaks its definition is refused, and nothing of it is stored",
    why: "a message too long must not stop the rest of the status for ever unseen",
    async run(server) {
      await made(server);
      const refused = await outcome(patchStatus(server, { id: "x".repeat(300) }));
      return [refused, (await server.get(keys, server.ref))?.status];
    },
    gives: ["422 Invalid", { observedGeneration: -1 }],
  },
  {
    rule: "a status that is taken off is as at the beginning",
    why: "kubectl replace --subresource=status and restores bring it about",
    async run(server) {
      await made(server);
      await patchStatus(server, { id: "1" });
      return (await patchStatus(server, null)).status;
    },
    gives: { observedGeneration: -1 },
  },
  {
    rule: "what the definition does not name is not stored in a status",
    why: "a newer operator's fields go when an older definition is in the cluster",
    async run(server) {
      await made(server);
      return (await patchStatus(server, { id: "1", fancy: true })).status;
    },
    gives: { observedGeneration: -1, id: "1" },
  },
  {
    rule: "the status of an object that is being deleted can be written",
    why: "people see there what holds the deletion",
    async run(server) {
      await made(server, { finalizers: ["test/held"] });
      await server.delete(keys, server.ref);
      const { status } = await patchStatus(server, { id: "1" });
      await server.patch(keys, server.ref, { metadata: { finalizers: null } });
      return status;
    },
    gives: { observedGeneration: -1, id: "1" },
  },
];
