import { storageOperation } from "./bucket-operation.ts";
import { outboundOf, removeObject } from "./stored-objects.ts";
import { BUCKETS, OBJECTS } from "./tables.ts";

/** Serves the operations on the whole object storage of an account (part 3 section 4.1). */
export const storageAccountOperations = [
  storageOperation({
    method: "POST",
    path: "/object-storage/cancel",
    summary: "Cancel object storage: all buckets and their contents go",
    handler({ world, account }) {
      for (const bucket of world.store.all(BUCKETS, account)) {
        for (const object of world.store.children(OBJECTS, account, bucket.serial))
          removeObject(world, account, object);
        world.store.remove(BUCKETS, account, bucket.id);
      }
      return {};
    },
  }),
  storageOperation({
    method: "GET",
    path: "/object-storage/transfer",
    summary: "View the outbound transfer of the current month, bytes",
    handler: ({ world, account }) => ({ used: outboundOf(world, account) }),
  }),
];
