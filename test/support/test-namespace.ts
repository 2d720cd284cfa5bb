/** What marks the namespaces of tests. */
export const testLabel = "cloudplatform.dev/test";

/**
 * A namespace for a test. It is deleted with the cluster or after the run, not by the test: a deletion costs the API
 * server more than a hundred requests, and is tried again and again where an object waits for an operator that has ended.
 */
export function testNamespace(name: string): Record<string, unknown> {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name, labels: { [testLabel]: "true" } } };
}
