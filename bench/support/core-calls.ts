/**
 * Counts how a reconcile moves through the files of `src/core`. A move is a call from a file of the core to a function of another
 * file of the core. Import this module before the modules to count: a hook of Node's loader marks each call of an imported function.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { registerHooks } from "node:module";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { root } from "../../tools/run/places.ts";

/** The moves of the reconciles of an object. */
export interface Path {
  files: Set<string>;
  moves: number;
  /** Moves between folders of the core. */
  betweenFolders: number;
}

interface Counter {
  /** Called before each call from a file to a function of another file. */
  move: (from: string, to: string) => void;
  /** Runs a reconcile of the key. */
  scoped: <T>(key: string, reconcile: () => T) => T;
}

const paths = new Map<string, Path>();
const current = new AsyncLocalStorage<Path>();

const counter: Counter = {
  move(from, to) {
    const path = current.getStore();
    if (!path) return;
    path.files.add(from).add(to);
    path.moves += 1;
    if (dirname(from) !== dirname(to)) path.betweenFolders += 1;
  },
  scoped(key, reconcile) {
    const path = paths.get(key) ?? { files: new Set(), moves: 0, betweenFolders: 0 };
    paths.set(key, path);
    return current.run(path, reconcile);
  },
};
Object.assign(globalThis, { coreCalls: counter });

/** Returns the counts for the reconciles of a key since the last call of this function. */
export function takePath(key: string): Path | undefined {
  const path = paths.get(key);
  paths.delete(key);
  return path;
}

const core = join(root, "src/core");
const entry = join(root, "src/wiring/environment.ts");

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    const file = url.startsWith("file:") ? fileURLToPath(url) : "";
    const text = () => Buffer.from((loaded.source ?? "") as Uint8Array).toString();
    if (file === entry)
      return {
        ...loaded,
        source: text().replace(
          "return await handleKey(environment, key)",
          "return await coreCalls.scoped(key, () => handleKey(environment, key))",
        ),
      };
    return file.startsWith(core) ? { ...loaded, source: marked(file, text()) } : loaded;
  },
});

/** Marks the calls of imported functions. A function that is passed on as a value is not counted. */
function marked(file: string, text: string): string {
  const from = relative(core, file);
  const imports = text.matchAll(/^import \{([^}]*)\} from "(\.[^"]+)";$/gm);
  let counted = text;
  for (const [, names = "", path = ""] of imports) {
    const to = relative(core, join(dirname(file), path));
    if (to.startsWith("..")) continue;
    for (const name of names.split(",").map((one) => one.trim().split(" as ").at(-1) ?? "")) {
      if (!/^[a-z]\w*$/.test(name)) continue;
      const call = new RegExp(`(?<![.\\w$]|new |function )${name}(?=\\()`, "g");
      counted = counted.replace(call, `(coreCalls.move("${from}", "${to}"), ${name})`);
    }
  }
  return counted;
}
