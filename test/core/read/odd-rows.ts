/** Rows as a service might show them one day: each field null, missing, of another type, with a word that nobody knows. */
import type { Json, JsonObject } from "../../../src/api/types.ts";

export interface Mutation {
  /** Such as `status: null` or `rules.outbound: missing`. */
  name: string;
  row: JsonObject;
}

const newWord = "a_new_word";

/** Fields that newer versions of the service show on its objects: not-shown, section 9. */
const newerFields: JsonObject = {
  capabilities: ["Block Storage Encryption", null],
  placement_group: { id: 528, label: "pg-1", placement_group_policy: "flexible" },
  disk_encryption: "enabled",
  lke_cluster_id: null,
  interface_generation: "legacy_config",
  engine_config: { mysql: { connect_timeout: 10 } },
  members: { "10.0.0.1": "primary" },
  platform: "rdbms-default",
  s3_endpoint: "us-iad-1.objects.test",
  endpoint_type: "E1",
  updated: null,
};

/** Every row that differs from this one in a single way. */
export function mutationsOf(row: JsonObject): Mutation[] {
  return [...changesOf(row, ""), { name: "newer fields", row: { ...newerFields, ...row } }];
}

function changesOf(object: JsonObject, prefix: string): Mutation[] {
  const changes: Mutation[] = [];
  for (const [field, value] of Object.entries(object)) {
    const add = (name: string, other: Json) => void changes.push({ name, row: { ...object, [field]: other } });
    for (const [name, other] of othersFor(value)) add(`${prefix}${field}: ${name}`, other);
    for (const { name, row } of membersOf(value, `${prefix}${field}.`))
      add(name, Array.isArray(value) ? [row, ...value.slice(1)] : row);
    const { [field]: _, ...rest } = object;
    changes.push({ name: `${prefix}${field}: missing`, row: rest });
  }
  return changes;
}

/** An object's members, or those of the first object in a list. */
function membersOf(value: Json, prefix: string): Mutation[] {
  const inner = Array.isArray(value) ? value[0] : value;
  return typeof inner === "object" && inner !== null && !Array.isArray(inner) ? changesOf(inner, prefix) : [];
}

function othersFor(value: Json): [string, Json][] {
  const none: [string, Json][] = value === null ? [] : [["null", null]];
  if (typeof value === "number") return [...none, ["text", String(value)], ["-1", -1]];
  if (typeof value === "string") return [...none, ["a new word", newWord], ["empty", ""], ["a number", 7]];
  if (typeof value === "boolean") return [...none, ["text", String(value)]];
  if (Array.isArray(value)) return [...none, ["[null]", [null]], ["an object", {}]];
  if (value === null)
    return [
      ["a new word", newWord],
      ["an object", { of: newWord }],
    ];
  return [...none, ["{}", {}], ["a list", []]];
}
