import type { Plugin } from "esbuild";

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
    build.onResolve({ filter: /./ }, async ({ path, pluginData, ...rest }) => {
      if (pluginData === asked || rest.kind !== "import-statement") return undefined;
      if (/^(node:)?http$/.test(path)) return { path: "node:http", namespace: "by-require" };
      if (!purePackages.some((name) => path === name || rest.importer.includes(`/node_modules/${name}/`)))
        return undefined;
      const { importer, namespace, resolveDir, kind } = rest;
      const found = await build.resolve(path, { importer, namespace, resolveDir, kind, pluginData: asked });
      return purePackages.some((name) => found.path.includes(`/node_modules/${name}/`))
        ? { ...found, sideEffects: false }
        : found;
    });
    build.onLoad({ filter: /./, namespace: "by-require" }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)});`,
    }));
  },
};

/** Packages whose modules only define things (one adds `File` where Node lacks it, and Node 24 has it); read from their sources. */
const purePackages = ["@kubernetes/client-node"];

/** Marks a question that this plugin itself asks esbuild, so that it does not answer it. */
const asked = Symbol("asked");
