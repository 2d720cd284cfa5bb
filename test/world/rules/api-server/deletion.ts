import type { Rule } from "../rule.ts";
import { keys, made, outcome, told } from "./side.ts";
import type { ApiServer } from "./side.ts";

const finalizers = ["test/held"];
const free = { metadata: { finalizers: null } };

/** Deletions: finalizers, preconditions, and those that began before something else. */
export const deletionRules: Rule<ApiServer>[] = [
  {
    rule: "a deletion waits for finalizers: it sets a time and moves the generation, once",
    why: "a repeated kubectl delete is no news",
    async run(server) {
      const first = await made(server, { finalizers });
      await server.delete(keys, server.ref);
      await server.delete(keys, server.ref);
      const { deletionTimestamp, generation } = (await server.get(keys, server.ref))?.metadata ?? {};
      const events = await told(server, first);
      await server.patch(keys, server.ref, free);
      return [typeof deletionTimestamp, generation, events];
    },
    gives: ["string", 2, ["MODIFIED new version"]],
  },
  {
    rule: "the last finalizer taken off ends it; the answer has the version before, the event one of its own",
    why: "a cache must not believe the answer to be newer than the deletion",
    async run(server) {
      await made(server, { finalizers: [...finalizers, "test/other"] });
      await server.delete(keys, server.ref);
      const one = await server.patch(keys, server.ref, { metadata: { finalizers } });
      const none = await server.patch(keys, server.ref, free);
      return [
        await server.get(keys, server.ref),
        none.metadata.resourceVersion === one.metadata.resourceVersion,
        await told(server, one, { one }),
      ];
    },
    gives: [undefined, true, ["DELETED new version"]],
  },
  {
    rule: "a new finalizer on what is being deleted is refused, the ones it has may stay",
    why: "an object that is deleted before the operator saw it cannot be held any more",
    async run(server) {
      await made(server, { finalizers });
      await server.delete(keys, server.ref);
      const patched = (all: string[]) => outcome(server.patch(keys, server.ref, { metadata: { finalizers: all } }));
      const outcomes = [
        await patched([...finalizers, "test/other"]),
        await patched(["test/other"]),
        await patched(finalizers),
      ];
      await server.patch(keys, server.ref, free);
      return outcomes;
    },
    gives: ["422 Invalid", "422 Invalid", "done"],
  },
  {
    rule: "a deletion that names another uid or an older version is refused, and of what is not there",
    why: "Secrets are removed as they were read",
    async run(server) {
      const { uid, resourceVersion } = (await made(server)).metadata;
      await server.patch(keys, server.ref, { spec: { label: "b" } });
      const other = await outcome(server.delete(keys, server.ref, { uid: "other" }));
      const older = await outcome(server.delete(keys, server.ref, { resourceVersion }));
      return [
        other,
        older,
        await outcome(server.delete(keys, server.ref, { uid })),
        await outcome(server.delete(keys, server.ref)),
      ];
    },
    gives: ["409 Conflict", "409 Conflict", "done", "404 NotFound"],
  },
  {
    rule: "a deletion that began before a finalizer was stored ignores it (kubernetes/kubernetes#77988)",
    why: "what was created in the cloud meanwhile has no object left that would remove it",
    async run(server) {
      await made(server);
      const end = await server.beginDelete(keys, server.ref);
      const held = await server.patch(keys, server.ref, { metadata: { finalizers } });
      await end();
      return [await server.get(keys, server.ref), await told(server, held)];
    },
    gives: [undefined, ["DELETED new version"]],
  },
  {
    rule: "also one that named the uid",
    why: "the uid of a deletion guards against nothing here",
    async run(server) {
      const { uid } = (await made(server)).metadata;
      const end = await server.beginDelete(keys, server.ref, { uid });
      await server.patch(keys, server.ref, { metadata: { finalizers } });
      await end();
      return server.get(keys, server.ref);
    },
    gives: undefined,
  },
  {
    rule: "one that named the version is refused at its end, if the object has changed since",
    why: "it is the way to delete nothing but what was read",
    async run(server) {
      const { resourceVersion } = (await made(server)).metadata;
      const end = await server.beginDelete(keys, server.ref, { resourceVersion });
      await server.patch(keys, server.ref, { metadata: { finalizers } });
      const ended = await outcome(end());
      const { metadata } = await server.patch(keys, server.ref, free);
      return [ended, metadata.deletionTimestamp];
    },
    gives: ["409 Conflict", undefined],
  },
  {
    rule: "one that began while there was a finalizer removes the object if the finalizer is gone at its end",
    why: "the object then never shows a deletion",
    async run(server) {
      await made(server, { finalizers });
      const end = await server.beginDelete(keys, server.ref);
      const last = await server.patch(keys, server.ref, free);
      await end();
      return [await server.get(keys, server.ref), await told(server, last)];
    },
    gives: [undefined, ["DELETED new version"]],
  },
  {
    rule: "one that began while there was a finalizer keeps what the object became meanwhile",
    why: "a claim stored in between is still there when it is worked off",
    async run(server) {
      await made(server, { finalizers });
      const end = await server.beginDelete(keys, server.ref);
      await server.patch(keys, server.ref, { metadata: { labels: { a: "b" } } });
      await end();
      const { labels, deletionTimestamp } = (await server.get(keys, server.ref))?.metadata ?? {};
      await server.patch(keys, server.ref, free);
      return [labels, typeof deletionTimestamp];
    },
    gives: [{ a: "b" }, "string"],
  },
  {
    rule: "one of what is gone by then is a 404",
    why: "two deletions may overlap",
    async run(server) {
      await made(server);
      const end = await server.beginDelete(keys, server.ref);
      await server.delete(keys, server.ref);
      return outcome(end());
    },
    gives: "404 NotFound",
  },
  {
    rule: "one that did not name the uid removes also what was made anew under the name",
    why: "a short-lived object's deletion may meet its successor",
    async run(server) {
      await made(server);
      const end = await server.beginDelete(keys, server.ref);
      await server.delete(keys, server.ref);
      await made(server);
      return [await outcome(end()), await server.get(keys, server.ref)];
    },
    gives: ["done", undefined],
  },
  {
    rule: "one that named the uid does not touch what was made anew under the name",
    why: "the way to delete nothing but what was read",
    async run(server) {
      const { uid } = (await made(server)).metadata;
      const end = await server.beginDelete(keys, server.ref, { uid });
      await server.delete(keys, server.ref);
      const again = await made(server);
      return [await outcome(end()), (await server.get(keys, server.ref))?.metadata.uid === again.metadata.uid];
    },
    gives: ["409 Conflict", true],
  },
];
