import type { KubeObject } from "../../../../src/cluster/types.ts";
import type { Rule } from "../rule.ts";
import { keys, made, madeSecret, outcome, secrets, told } from "./side.ts";
import type { ApiServer } from "./side.ts";

const otherUid = "00000000-0000-4000-8000-00000000abcd";

/** Creating and patching the object itself: names, versions, generations, events. */
export const versionRules: Rule<ApiServer>[] = [
  {
    rule: "a second object of a name is refused",
    why: "a Secret of somebody else is noticed by it",
    async run(server) {
      await made(server);
      return outcome(made(server));
    },
    gives: "409 AlreadyExists",
  },
  {
    rule: "also while the first is being deleted",
    why: "what people create anew waits for the finalizer",
    async run(server) {
      await made(server, { finalizers: ["test/held"] });
      await server.delete(keys, server.ref);
      const again = await outcome(made(server));
      await server.patch(keys, server.ref, { metadata: { finalizers: null } });
      return again;
    },
    gives: "409 AlreadyExists",
  },
  {
    rule: "a new object begins with generation 1, a status of observedGeneration -1, and a uid of its own",
    why: "what a manifest was copied with must not count as observed",
    async run(server) {
      const given = { uid: otherUid, generation: 7 };
      const { metadata, status } = await made(server, given, { status: { id: "1", observedGeneration: 5 } });
      return { status, generation: metadata.generation, uid: metadata.uid === otherUid };
    },
    gives: { status: { observedGeneration: -1 }, generation: 1, uid: false },
  },
  {
    rule: "an object made again under its name is another one",
    why: "what is remembered of the first must not be taken for the second's",
    async run(server) {
      const first = await made(server);
      await server.delete(keys, server.ref);
      const { metadata } = await made(server);
      const later = Number(metadata.resourceVersion) > Number(first.metadata.resourceVersion);
      return [metadata.uid === first.metadata.uid, later];
    },
    gives: [false, true],
  },
  {
    rule: "a patch of an older version is refused",
    why: "claims and finalizers are guarded by it",
    async run(server) {
      const { resourceVersion } = (await made(server)).metadata;
      await server.patch(keys, server.ref, { spec: { label: "b" } });
      return [
        await outcome(server.patch(keys, server.ref, { metadata: { resourceVersion }, spec: { label: "c" } })),
        await outcome(server.patch(keys, server.ref, { metadata: { resourceVersion }, spec: { label: "b" } })),
      ];
    },
    gives: ["409 Conflict", "409 Conflict"],
  },
  {
    rule: "a patch that names another uid is refused, one that names its own is not",
    why: "a finalizer or claim is never put on another object of the name",
    async run(server) {
      const { uid } = (await made(server)).metadata;
      const labelled = (one: string) => server.patch(keys, server.ref, { metadata: { uid: one, labels: { a: "b" } } });
      return [await outcome(labelled(otherUid)), await outcome(labelled(uid))];
    },
    gives: ["422 Invalid", "done"],
  },
  {
    rule: "a patch of what is not there is a 404, with and without a version",
    why: "an object may go at any moment",
    async run(server) {
      const gone = { metadata: { uid: otherUid, resourceVersion: "1" } };
      return [
        await outcome(server.patch(keys, server.ref, {})),
        await outcome(server.patch(keys, server.ref, gone)),
        await outcome(server.patch(keys, server.ref, { status: { id: "1" } }, "status")),
      ];
    },
    gives: ["404 NotFound", "404 NotFound", "404 NotFound"],
  },
  {
    rule: "the generation moves with the spec, and with nothing else that a patch changes",
    why: "Ready speaks of a generation",
    async run(server) {
      await made(server);
      const generationAfter = async (patch: object, subresource?: "status") =>
        (await server.patch(keys, server.ref, patch as Record<string, unknown>, subresource)).metadata.generation;
      return [
        await generationAfter({ metadata: { labels: { a: "b" }, finalizers: ["test/held"] } }),
        await generationAfter({ status: { id: "1" } }, "status"),
        await generationAfter({ spec: { label: "b" } }),
        await generationAfter({ metadata: { finalizers: null } }),
      ];
    },
    gives: [1, 1, 2, 2],
  },
  {
    rule: "a patch cannot make an object another one, or begin its deletion, or move its generation",
    why: "people apply manifests that they once read",
    async run(server) {
      await made(server);
      const patched = (metadata: object) => outcome(server.patch(keys, server.ref, { metadata }));
      return [
        await patched({ name: "other" }),
        await patched({ namespace: "other" }),
        await patched({ deletionTimestamp: "2026-01-01T00:00:00Z" }),
        await patched({ generation: 9, uid: null }),
        (await server.get(keys, server.ref))?.metadata.generation,
      ];
    },
    gives: ["400 BadRequest", "400 BadRequest", "422 Invalid", "done", 1],
  },
  {
    rule: "null takes off, a list is replaced, a map is merged",
    why: "annotations are taken off one by one",
    async run(server) {
      const annotations = { a: "1", b: "2" };
      await made(server, { annotations, finalizers: ["test/a", "test/b"] });
      const patch = { metadata: { annotations: { a: null, c: "3" }, finalizers: ["test/c"] } };
      const { metadata } = await server.patch(keys, server.ref, patch);
      await server.patch(keys, server.ref, { metadata: { finalizers: null } });
      return [metadata.annotations, metadata.finalizers];
    },
    gives: [{ b: "2", c: "3" }, ["test/c"]],
  },
  {
    rule: "the last finalizer or annotation taken off leaves none",
    why: "an empty list and no list are told apart nowhere",
    async run(server) {
      await made(server, { annotations: { a: "1" }, finalizers: ["test/a"] });
      const patch = { metadata: { annotations: { a: null }, finalizers: [] } };
      const { metadata } = await server.patch(keys, server.ref, patch);
      return [metadata.annotations, metadata.finalizers];
    },
    gives: [undefined, undefined],
  },
  {
    rule: "a patch that changes nothing makes no version and no event",
    why: "else the operator would wake itself for ever",
    async run(server) {
      await made(server);
      const first = await server.patch(keys, server.ref, { metadata: { labels: { a: "b" } } });
      const second = await server.patch(keys, server.ref, { metadata: { labels: { a: "b" } }, spec: { label: "a" } });
      const third = await server.patch(keys, server.ref, { status: { observedGeneration: -1 } }, "status");
      const same = ({ metadata }: KubeObject) => metadata.resourceVersion === first.metadata.resourceVersion;
      return [await told(server, first), same(second), same(third)];
    },
    gives: [[], true, true],
  },
  {
    rule: "but the first patch of a new object makes a version, even if it changes nothing: it stores the status that was only shown",
    why: "a first write is answered with a version of its own",
    async run(server) {
      const first = await made(server);
      const second = await server.patch(keys, server.ref, { spec: { label: "a" } });
      await server.patch(keys, server.ref, { spec: { label: "a" } });
      return told(server, first, { second });
    },
    gives: ["MODIFIED second"],
  },
  {
    rule: "a watch tells each change with the version that its answer had, in order, and the deletion with one of its own",
    why: "a cache knows by it which of its own writes it has passed",
    async run(server) {
      const first = await made(server);
      const spec = await server.patch(keys, server.ref, { spec: { label: "b" } });
      const status = await server.patch(keys, server.ref, { status: { id: "1" } }, "status");
      await server.delete(keys, server.ref);
      const again = await made(server);
      return told(server, first, { spec, status, again });
    },
    gives: ["MODIFIED spec", "MODIFIED status", "DELETED new version", "ADDED again"],
  },
  {
    rule: "a watch that was silent tells every change in order, however far the watch of another kind is",
    why: "the watch of one kind may be silent for a minute while facts of other kinds arrive",
    async run(server) {
      const first = await made(server);
      const secret = await madeSecret(server);
      const one = await server.patch(keys, server.ref, { spec: { label: "b" } });
      await server.patch(secrets, server.ref, { stringData: { token: "b" } });
      const prompt = await server.eventsAfter(secrets, secret.metadata.resourceVersion);
      const two = await server.patch(keys, server.ref, { spec: { label: "c" } });
      return [prompt.map(({ type }) => type), await told(server, first, { one, two })];
    },
    gives: [["MODIFIED"], ["MODIFIED one", "MODIFIED two"]],
  },
];
