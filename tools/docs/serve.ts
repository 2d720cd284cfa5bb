/** Serves a folder on loopback, to read a built site. */
import { createReadStream, statSync } from "node:fs";
import { createServer } from "node:http";
import type { Server } from "node:http";
import { extname, join, normalize } from "node:path";

const types: Record<string, string> = {
  ".css": "text/css",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".json": "application/json",
  ".md": "text/markdown; charset=utf-8",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
};

export function serve(folder: string, base: string, port: number): Promise<Server> {
  const server = createServer((request, response) => {
    const file = fileOf(folder, base, request.url ?? "/");
    if (file === undefined) {
      response.writeHead(404).end("not found\n");
      return;
    }
    response.writeHead(200, { "content-type": types[extname(file)] ?? "application/octet-stream" });
    createReadStream(file).pipe(response);
  });
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => resolve(server));
  });
}

function fileOf(folder: string, base: string, address: string): string | undefined {
  const path = normalize(decodeURIComponent(new URL(address, "http://localhost").pathname));
  if (!path.startsWith(base)) return undefined;
  const file = join(folder, path.slice(base.length - 1), path.endsWith("/") ? "index.html" : "");
  return statSync(file, { throwIfNoEntry: false })?.isFile() === true ? file : undefined;
}
