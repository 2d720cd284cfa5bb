import type { Operation } from "../operation.ts";

/** The route of a path for one method. */
export interface Found {
  /** Methods with an operation at this path. */
  readonly methods: readonly string[];
  readonly operation: Operation | undefined;
  /** Path parameters by name, decoded. A slug of two segments is one value. */
  readonly params: Readonly<Record<string, string>>;
}

interface Route {
  readonly operation: Operation;
  /** Names of the parameter segments. A slug of two segments has its name twice. */
  readonly names: readonly string[];
}

interface Place {
  readonly literals: Map<string, Place>;
  parameter: Place | undefined;
  readonly routes: Map<string, Route>;
}

/** A longer parameter matches no route. */
const LONGEST_PARAMETER = 512;

const known = new WeakMap<readonly Operation[], Place>();

/**
 * Returns the operation for a method and a path with a version segment, or undefined for an unknown path.
 * Literal segments win over parameters. Each list is indexed once per process: Fastify needs a third of a second to
 * register all operations, and tests start a thousand simulators.
 */
export function findRoute(operations: readonly Operation[], method: string, path: string): Found | undefined {
  const root = known.get(operations) ?? indexed(operations);
  known.set(operations, root);
  const segments = path
    .replace(/(?<=.)\/$/, "")
    .split("/")
    .slice(1)
    .map(decodeURIComponent);
  const match = placeOf(root, segments, []);
  if (!match) return undefined;
  const { routes } = match.place;
  const route = routes.get(method);
  const params: Record<string, string> = {};
  for (const [index, name] of (route?.names ?? []).entries()) {
    const value = match.values[index] ?? "";
    params[name] = Object.hasOwn(params, name) ? `${params[name]}/${value}` : value;
  }
  return { methods: [...routes.keys()], operation: route?.operation, params };
}

function placeOf(
  place: Place,
  [segment, ...rest]: string[],
  values: string[],
): { place: Place; values: string[] } | undefined {
  if (segment === undefined) return place.routes.size > 0 ? { place, values } : undefined;
  const literal = place.literals.get(segment);
  const found = literal && placeOf(literal, rest, values);
  if (found || !place.parameter || segment.length > LONGEST_PARAMETER) return found;
  return placeOf(place.parameter, rest, [...values, segment]);
}

function indexed(operations: readonly Operation[]): Place {
  const root = emptyPlace();
  for (const operation of operations) {
    for (const segments of pathsOf(operation)) {
      const names: string[] = [];
      let place = root;
      for (const segment of segments) {
        const [, name] = /^\{(\w+)\}$/.exec(segment) ?? [];
        if (name !== undefined) names.push(name);
        place = name === undefined ? literalOf(place, segment) : (place.parameter ??= emptyPlace());
      }
      place.routes.set(operation.method, { operation, names });
    }
  }
  return root;
}

function literalOf({ literals }: Place, segment: string): Place {
  const place = literals.get(segment) ?? emptyPlace();
  literals.set(segment, place);
  return place;
}

function emptyPlace(): Place {
  return { literals: new Map(), parameter: undefined, routes: new Map() };
}

/** Returns the paths under one or both version segments. A slug can be one encoded segment or two segments. */
function pathsOf({ path, params = {}, beta }: Operation): string[][] {
  let paths = (beta ? ["v4beta"] : ["v4", "v4beta"]).map((version) => `${version}${path}`.split("/"));
  for (const [name, kind] of Object.entries(params)) {
    const segment = `{${name}}`;
    const twice = (segments: string[]) => segments.flatMap((one) => (one === segment ? [one, one] : [one]));
    if (kind === "slug") paths = paths.flatMap((segments) => [segments, twice(segments)]);
  }
  return paths;
}
