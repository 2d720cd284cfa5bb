import type { Shape } from "./shapes.ts";

/** Fields whose texts are compared: their values come from a fixed list of the service. */
const ENUMERATIONS = new Set(
  (
    "status type action acl permissions purpose filesystem run_level virt_mode hypervisor frequency engine platform protocol " +
    "inbound_policy outbound_policy interface_generation site_type authentication_type class architecture " +
    "user_type field"
  ).split(" "),
);

/** Enumerations whose value depends on the region, the account or the moment: some recorded row must have the value. */
const CIRCUMSTANCES = new Set(
  "capabilities disk_encryption endpoint_type maintenance_policy lish_auth_method day window".split(" "),
);

export interface ComparisonOptions {
  /** Every row of this resource in all recordings: the service added fields over the years. */
  readonly known: Shape;
  /** A public catalog: the rows differ, so each simulated row must look like some recorded row. */
  readonly catalog: boolean;
}

/**
 * Returns the differences between a recorded response and the simulator's: fields, types, null, enumerations, and empty pages.
 * A field that only the simulator shows is no difference if another recording of the resource shows the field.
 */
export function differences(recorded: Shape, simulated: Shape, options: ComparisonOptions): string[] {
  return compared({ recorded, simulated, known: options.known, path: "", catalog: options.catalog });
}

interface Place {
  readonly recorded: Shape;
  readonly simulated: Shape;
  readonly known: Shape | undefined;
  readonly path: string;
  readonly catalog: boolean;
}

function compared(place: Place): string[] {
  return [...typeDifferences(place), ...valueDifferences(place), ...fieldDifferences(place), ...itemDifferences(place)];
}

function typeDifferences({ recorded, simulated, known, path, catalog }: Place): string[] {
  const allowed = catalog && known ? new Set([...recorded.types, ...known.types]) : recorded.types;
  const extra = [...simulated.types].filter((type) => !allowed.has(type));
  const missing = catalog ? [] : [...recorded.types].filter((type) => !simulated.types.has(type));
  if (extra.length + missing.length === 0) return [];
  return [`${path} is ${list(simulated.types)}, recorded ${list(recorded.types)}`];
}

function valueDifferences({ recorded, simulated, known, path, catalog }: Place): string[] {
  const isCircumstance = catalog || CIRCUMSTANCES.has(lastName(path));
  if (!ENUMERATIONS.has(lastName(path)) && !CIRCUMSTANCES.has(lastName(path))) return [];
  const allowed = isCircumstance && known ? new Set([...recorded.values, ...known.values]) : recorded.values;
  const extra = [...simulated.values].filter((value) => !allowed.has(value));
  const missing = isCircumstance ? [] : [...recorded.values].filter((value) => !simulated.values.has(value));
  if (extra.length + missing.length === 0) return [];
  return [`${path} is "${list(simulated.values)}", recorded "${list(recorded.values)}"`];
}

function fieldDifferences({ recorded, simulated, known, path, catalog }: Place): string[] {
  if (recorded.objects === 0 || simulated.objects === 0) return [];
  const found: string[] = [];
  for (const [name, shape] of recorded.fields) {
    const counterpart = simulated.fields.get(name);
    const inner = path === "" ? name : `${path}.${name}`;
    if (counterpart)
      found.push(
        ...compared({ recorded: shape, simulated: counterpart, known: known?.fields.get(name), path: inner, catalog }),
      );
    else if (shape.count === recorded.objects) found.push(`${inner} is missing`);
  }
  const extra = [...simulated.fields.keys()].filter((name) => !recorded.fields.has(name) && !known?.fields.has(name));
  return [...found, ...extra.map((name) => `${path === "" ? name : `${path}.${name}`} is not recorded`)];
}

function itemDifferences({ recorded, simulated, known, path, catalog }: Place): string[] {
  const [before, now] = [recorded.items, simulated.items];
  if (!before || !now) return [];
  if (path === "data" && (before.count === 0) !== (now.count === 0))
    return [now.count === 0 ? "data is empty" : "data has rows, recorded none"];
  if (before.count === 0 || now.count === 0) return [];
  return compared({ recorded: before, simulated: now, known: known?.items, path: `${path}[]`, catalog });
}

function lastName(path: string): string {
  return path.replace(/\[\]$/, "").split(".").at(-1) ?? "";
}

function list(names: ReadonlySet<string>): string {
  return [...names].toSorted().join("|");
}
