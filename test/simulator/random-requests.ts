/** A JSON schema, as far as the simulator's OpenAPI document uses it. */
export interface Schema {
  type?: string | string[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
}

/** Numbers of [0, 1) that a seed decides (xorshift). */
export function randomFrom(seed: number): () => number {
  let state = seed | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 4_294_967_296;
  };
}

export function pick<T>(random: () => number, values: readonly T[]): T {
  const value = values[Math.floor(random() * values.length)];
  if (value === undefined) throw new Error("nothing to pick from");
  return value;
}

/** What breaks careless code, whatever was asked for. */
const ODD: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1e308,
  2 ** 53,
  0.5,
  "",
  " ",
  "\u0000",
  "é\u202Eö💥",
  "../../etc/passwd",
  "%00%2f",
  "constructor",
  "__proto__",
  "x".repeat(70_000),
  "\ud800",
  "%zz\r\nX-Injected: 1",
  -(2 ** 53),
  1e21,
  [],
  [[]],
  [null],
  {},
  { toString: null },
  { a: { b: { c: [] } } },
];

/** Filters that mean something, and some that do not. */
export const FILTERS: readonly string[] = [
  '{"label":"one"}',
  '{"+or":[{"id":1},{"label":{"+contains":"o"}}],"+order_by":"label","+order":"desc"}',
  '{"created":{"+gte":"2026-01-01T00:00:00","+lt":5}}',
  '{"entity":{"id":1001,"type":"compute"}}',
  '{"+and":[{"+or":[]}]}',
  '{"+and":{}}',
  '{"+order_by":["label"]}',
  '{"label":{"+gt":{"a":1}}}',
  '{"label":[1,{}]}',
  '{"__proto__":1,"constructor":{"+neq":null}}',
  '{"+unknown":1}',
  "[]",
  "null",
  "{",
  '"\\ud800"',
  `${'{"a":'.repeat(1000)}1${"}".repeat(1000)}`,
];

/** Values that mean something to the service, by the field they stand in, so that a request gets past the first check. */
const SENSIBLE: Readonly<Record<string, readonly unknown[]>> = {
  region: ["us-east", "us-east", "us-west"],
  type: ["g6-standard-2", "g6-nanode-1", "master", "A", "ipv4", "compute"],
  image: ["compute/debian12", "compute/alpine3.20"],
  kernel: ["compute/grub2"],
  engine: ["mysql/8.0.35"],
  cluster: ["us-east-1"],
  bucket_name: ["bucket"],
  root_pass: ["Sup3r-secret"],
  password: ["Sup3r-secret"],
  label: ["some-label", "other-label", "bucket"],
  ssh_key: ["ssh-rsa AAAA"],
  domain: ["example.net", "example.org"],
  soa_email: ["admin@example.org"],
  target: ["192.0.2.1", "www.example.org"],
  address: ["198.18.0.2"],
  ips: [["198.18.0.3"]],
  ipv4: [["10.0.0.0/24"]],
  ipv6: [["2001:db8::/32"]],
  ports: ["80, 443-445"],
  rdns: [null, "host.example.org"],
  user_data: ["YQ=="],
  method: ["GET", "PUT"],
  name: ["a/b", "www"],
  email: ["someone@example.org"],
  phone_number: ["5551234567"],
  iso_code: ["US"],
  id: ["fast-disks"],
  swap_size: [512],
  size: [1000],
  prefix_length: [64],
  stackscript_id: [null],
  backup_id: [null],
  authorized_users: [null, ["demo"]],
};

const ALPHABET = Array.from("abcXYZ019-_. /:@");

/** A value that mostly keeps to the schema; a few do not at all. `field` is the name it stands under. */
export function randomValue(random: () => number, schema: Schema, ids: readonly number[], field = ""): unknown {
  if (random() < 0.02) return pick(random, ODD);
  const sensible = SENSIBLE[field];
  if (sensible && random() < 0.85) return pick(random, sensible);
  const choice = schema.anyOf ?? schema.oneOf;
  if (choice) return randomValue(random, pick(random, choice), ids, field);
  if (schema.enum) return pick(random, schema.enum);
  if ("const" in schema) return schema.const;
  const type = Array.isArray(schema.type) ? pick(random, schema.type) : schema.type;
  if (type === "object") return randomObject(random, schema, ids);
  if (type === "array") {
    const length = Math.floor(random() * 3);
    return Array.from({ length }, () => randomValue(random, schema.items ?? {}, ids));
  }
  if (type === "boolean") return random() < 0.5;
  if (type === "integer" || type === "number") return randomNumber(random, schema, ids);
  return type === "string" ? randomText(random, schema) : pick(random, ODD);
}

function randomObject(random: () => number, schema: Schema, ids: readonly number[]): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  const often = random();
  for (const [name, inner] of Object.entries(schema.properties ?? {})) {
    const wanted = schema.required?.includes(name) ? 0.99 : often;
    if (random() < wanted) object[name] = randomValue(random, inner, ids, name);
  }
  return object;
}

function randomNumber(random: () => number, { minimum = 0, maximum = 500 }: Schema, ids: readonly number[]): number {
  const low = Math.max(minimum, 0);
  return pick(random, [...ids, minimum, Math.min(maximum, 1e6), low + Math.floor(random() * 100)]);
}

function randomText(random: () => number, { minLength = 0, maxLength = 40 }: Schema): string {
  const length = minLength + Math.floor(random() * Math.max(1, Math.min(maxLength, 200) - minLength));
  return Array.from({ length }, () => pick(random, ALPHABET)).join("");
}
