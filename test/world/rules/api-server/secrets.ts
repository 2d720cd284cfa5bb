import type { KubeObject } from "../../../../src/cluster/types.ts";
import type { Rule } from "../rule.ts";
import { keys, made, madeSecret, outcome, secrets } from "./side.ts";
import type { ApiServer } from "./side.ts";

const encoded = (text: string) => Buffer.from(text).toString("base64");

/** What is peculiar to Secrets, and the garbage collector, which nothing else here has to do with. */
export const secretRules: Rule<ApiServer>[] = [
  {
    rule: "a Secret's texts are stored as data, its type is Opaque, and it has no generation",
    why: "tests write stringData, the operator reads data",
    async run(server) {
      const secret = (await madeSecret(server)) as KubeObject & Record<string, unknown>;
      return [secret["data"], secret["stringData"], secret["type"], secret.metadata.generation, secret.status];
    },
    gives: [{ token: encoded("a") }, undefined, "Opaque", undefined, undefined],
  },
  {
    rule: "a Secret's texts are merged into its data",
    why: "a token is rotated by it",
    async run(server) {
      await madeSecret(server);
      const patched = await server.patch(secrets, server.ref, { stringData: { token: "b", more: "c" } });
      return (patched as KubeObject & Record<string, unknown>)["data"];
    },
    gives: { token: encoded("b"), more: encoded("c") },
  },
  {
    rule: "an immutable Secret keeps its data and stays immutable, and its metadata may change",
    why: "a finalizer is put on the token of an account, whoever made the Secret",
    async run(server) {
      await madeSecret(server, { immutable: true });
      const patched = (patch: Record<string, unknown>) => outcome(server.patch(secrets, server.ref, patch));
      return [
        await patched({ stringData: { token: "b" } }),
        await patched({ immutable: false }),
        await patched({ immutable: null }),
        await patched({ metadata: { labels: { a: "b" } } }),
        await patched({ stringData: { token: "a" } }),
      ];
    },
    gives: ["422 Invalid", "422 Invalid", "422 Invalid", "done", "done"],
  },
  {
    rule: "a Secret for basic authentication has a username or a password",
    why: "what is shown once must not be without a Secret that takes it",
    async run(server) {
      const type = "kubernetes.io/basic-auth";
      const refused = await outcome(madeSecret(server, { type }));
      return [refused, await outcome(madeSecret(server, { type, stringData: { username: "a" } }))];
    },
    gives: ["422 Invalid", "done"],
  },
  {
    rule: "a dry run refuses what would be refused, and stores nothing",
    why: "that a Secret can be written is known before what is to be in it is made",
    async run(server) {
      const created = (more: object) =>
        outcome(server.create(secrets, { metadata: server.ref, stringData: { token: "a" }, ...more }, true));
      const absent = [await created({}), await created({ type: "kubernetes.io/basic-auth" })];
      const stored = (await server.get(secrets, server.ref)) !== undefined;
      await madeSecret(server);
      const patched = (patch: Record<string, unknown>) =>
        outcome(server.patch(secrets, server.ref, patch, undefined, true));
      const present = [
        await created({}),
        await patched({ type: "test/other" }),
        await patched({ stringData: { a: "b" } }),
      ];
      const { data } = (await server.get(secrets, server.ref)) as KubeObject & Record<string, unknown>;
      return [absent, stored, present, data];
    },
    gives: [["done", "422 Invalid"], false, ["409 AlreadyExists", "422 Invalid", "done"], { token: encoded("a") }],
  },
  {
    rule: "a Secret's type is fixed",
    why: "a Secret that waits for the operator may have any type",
    async run(server) {
      await madeSecret(server);
      return outcome(server.patch(secrets, server.ref, { type: "test/other" }));
    },
    gives: "422 Invalid",
  },
  {
    rule: "what only a gone object owns goes with it, what another one owns as well stays",
    why: "a Secret that the operator wrote must not outlive its object",
    async run(server) {
      const owner = await made(server);
      const { name, namespace } = server.ref;
      const other = await server.create(keys, { metadata: { namespace, name: `${name}-other` }, spec: owner.spec });
      const ownedBy = (owners: KubeObject[], suffix: string) =>
        madeSecret(server, {}, { name: `${name}-${suffix}`, ownerReferences: owners.map(referenceTo) });
      await ownedBy([owner], "single");
      await ownedBy([owner, other], "shared");
      await server.delete(keys, server.ref);
      await server.untilGone(secrets, { namespace, name: `${name}-single` });
      const left = async (suffix: string) =>
        (await server.get(secrets, { namespace, name: `${name}-${suffix}` }))?.metadata.name !== undefined;
      return [await left("single"), await left("shared")];
    },
    gives: [false, true],
  },
  {
    rule: "what is made for an owner that is gone goes, too, and not at once",
    why: "a process may write a Secret after its object was deleted",
    async run(server) {
      const owner = await made(server);
      await server.delete(keys, server.ref);
      await madeSecret(server, {}, { ownerReferences: [referenceTo(owner)] });
      const before = await server.get(secrets, server.ref);
      await server.untilGone(secrets, server.ref);
      return [before !== undefined, await server.get(secrets, server.ref)];
    },
    gives: [true, undefined],
  },
];

function referenceTo({ apiVersion, kind, metadata: { name, uid } }: KubeObject): object {
  return { apiVersion, kind, name, uid };
}
