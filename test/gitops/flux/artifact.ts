import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** What source-controller notes in `status.artifact` of a source. */
export interface Artifact {
  url: string;
  path: string;
  revision: string;
  digest: string;
  size: number;
  lastUpdateTime: string;
}

/** Files over HTTP, packed as source-controller packs a commit. */
export interface ArtifactServer {
  /** Serves these files, by path; the revision follows from the content. */
  publish: (name: string, files: Record<string, string>) => Artifact;
  close: () => Promise<void>;
}

export async function serveArtifacts(): Promise<ArtifactServer> {
  const packed = new Map<string, Buffer>();
  const server = createServer((request, response) => {
    const body = packed.get(request.url ?? "");
    response.writeHead(body ? 200 : 404, { "content-type": "application/gzip" }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    publish(name, files) {
      const body = pack(files);
      const revision = `main@sha1:${createHash("sha1").update(JSON.stringify(files)).digest("hex")}`;
      const digest = `sha256:${createHash("sha256").update(body).digest("hex")}`;
      const path = `/${name}/${digest.slice(7, 19)}.tar.gz`;
      packed.set(path, body);
      const url = `http://127.0.0.1:${port}${path}`;
      return {
        url,
        path: path.slice(1),
        revision,
        digest,
        size: body.length,
        lastUpdateTime: new Date().toISOString(),
      };
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function pack(files: Record<string, string>): Buffer {
  const folder = mkdtempSync(join(tmpdir(), "artifact-"));
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    return execFileSync("tar", ["-cz", "-C", folder, "."]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
