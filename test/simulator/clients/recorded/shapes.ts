/** What a set of JSON values has in common: the types, the fields with their shapes, the items of lists, the values of texts. */
export interface Shape {
  /** How many values were added. */
  count: number;
  /** How many of them were objects. */
  objects: number;
  readonly types: Set<string>;
  readonly fields: Map<string, Shape>;
  /** The values of texts; only the fields of `ENUMERATIONS` are compared by them. */
  readonly values: Set<string>;
  items?: Shape;
}

export function emptyShape(): Shape {
  return { count: 0, objects: 0, types: new Set(), fields: new Map(), values: new Set() };
}

/** Adds a value to a shape and returns the shape. */
export function addValue(shape: Shape, value: unknown): Shape {
  shape.count += 1;
  shape.types.add(typeOf(value));
  if (Array.isArray(value)) {
    const items = (shape.items ??= emptyShape());
    for (const item of value) addValue(items, item);
  } else if (value !== null && typeof value === "object") {
    shape.objects += 1;
    for (const [name, inner] of Object.entries(value)) addValue(fieldOf(shape, keyOf(name)), inner);
  } else if (typeof value === "string") shape.values.add(value);
  return shape;
}

function fieldOf(shape: Shape, name: string): Shape {
  const known = shape.fields.get(name) ?? emptyShape();
  shape.fields.set(name, known);
  return known;
}

/** Objects can be keyed by addresses (the members of a database); such keys are data, not names of fields. */
function keyOf(name: string): string {
  return /^\d+\.\d+\.\d+\.\d+$/.test(name) || name.includes("::") ? "*" : name;
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "list";
  return typeof value === "string" ? "text" : typeof value;
}
