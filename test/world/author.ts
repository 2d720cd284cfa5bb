import { AsyncLocalStorage } from "node:async_hooks";

/**
 * Holds the key of the object that a process reconciles at the moment, across every `await` of the reconcile. The world
 * itself sets the key, so that it names the author of a request without trusting anything that the operator writes.
 */
export const reconciling = new AsyncLocalStorage<string>();
