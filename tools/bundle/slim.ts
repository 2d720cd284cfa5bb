import { join } from "node:path";
import type { Plugin } from "esbuild";
import { root } from "../run/places.ts";

/**
 * What keeps a bundle small in memory where packages are not written for bundling.
 *
 * A package that does nothing when imported but does not say so (`sideEffects`) is taken in whole, with all that it
 * imports. And an `import` of node:http makes Node read every property of the module, one of which loads a second
 * copy of undici (13 MiB); `require` reads none.
 */
export const slim: Plugin = {
  name: "slim",
  setup(build) {
    build.onResolve({ filter: /^(node:)?http$/ }, ({ kind }) =>
      kind === "import-statement" ? { path: "node:http", namespace: "by-require" } : undefined,
    );
    build.onResolve({ filter: /^undici$/ }, () => ({ path: "undici", namespace: "in-part" }));
    build.onLoad({ filter: /./, namespace: "in-part" }, () => ({ contents: undiciInPart, resolveDir: root }));
    // Its own files are named in full: to ask esbuild for each of the thousands of them takes twenty seconds.
    build.onResolve({ filter: /^\./ }, ({ path, kind, importer, resolveDir }) =>
      kind === "import-statement" && purePackages.some((name) => importer.includes(`/node_modules/${name}/`))
        ? { path: join(resolveDir, path), sideEffects: false }
        : undefined,
    );
    const byName = new RegExp(`^(${purePackages.join("|")})$`);
    build.onResolve({ filter: byName }, async ({ path, pluginData, importer, namespace, resolveDir, kind }) => {
      if (pluginData === asked || kind !== "import-statement") return undefined;
      const found = await build.resolve(path, { importer, namespace, resolveDir, kind, pluginData: asked });
      return { ...found, sideEffects: false };
    });
    build.onLoad({ filter: /./, namespace: "by-require" }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)});`,
    }));
  },
};

/** Packages whose modules only define things (one adds `File` where Node lacks it, and Node 24 has it); read from their sources. */
const purePackages = ["@kubernetes/client-node"];

/** What the programs use of undici, and its file. In whole it is a fetch, a WebSocket, caches and mocks as well. */
export const undiciParts = {
  Agent: "agent",
  Dispatcher: "dispatcher",
  EnvHttpProxyAgent: "env-http-proxy-agent",
  Pool: "pool",
  ProxyAgent: "proxy-agent",
  Socks5ProxyAgent: "socks5-proxy-agent",
};

/** The first line is what undici's own index does; each part is loaded when it is first asked for. */
const undiciInPart = `
Object.assign(require("undici/lib/dispatcher/dispatcher.js").prototype, require("undici/lib/api/index.js"));
module.exports = {
  ${Object.entries(undiciParts)
    .map(([name, file]) => `get ${name}() { return require("undici/lib/dispatcher/${file}.js"); },`)
    .join("\n")}
};`;

/** Marks a question that this plugin itself asks esbuild, so that it does not answer it. */
const asked = Symbol("asked");
