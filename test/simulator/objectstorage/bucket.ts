import type { Running } from "../running.ts";

export const BUCKETS = "/object-storage/buckets";
export const MEDIA = `${BUCKETS}/us-east-1/media`;

/** A simulator's bucket `media`; answers its path. */
export async function bucket(simulator: Running, body: Record<string, unknown> = {}): Promise<string> {
  const { cluster, label } = await simulator.ok("POST", BUCKETS, { cluster: "us-east-1", label: "media", ...body });
  return `${BUCKETS}/${String(cluster)}/${String(label)}`;
}

/** A pre-signed URL. */
export async function signed(simulator: Running, path: string, body: Record<string, unknown>): Promise<string> {
  return String((await simulator.ok("POST", `${path}/object-url`, body))["url"]);
}

/** Stores a text as an object. */
export async function put(simulator: Running, path: string, name: string, text = "hello"): Promise<Response> {
  const url = await signed(simulator, path, { method: "PUT", name, content_type: "text/plain" });
  return fetch(url, { method: "PUT", body: text, headers: { "Content-Type": "text/plain" } });
}

/** The object's URL without a signature. */
export function plainUrl(simulator: Running, name: string): string {
  return `${simulator.url}/objects/us-east-1/media/${encodeURIComponent(name)}`;
}
