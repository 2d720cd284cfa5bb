/** Converts unions. A choice of values of one type becomes an enumeration. Other unions are not supported. */
import type { Source } from "./json-schema.ts";

interface Merged {
  source: Source;
  problems: string[];
}

/** Returns the node, or the enumeration of its alternatives. */
export function mergeUnion(source: Source): Merged {
  if (source.oneOf)
    return refused(
      source,
      "a discriminated union has no structural form: use an object of optional members and a rule that requires exactly one member",
    );
  if (!source.anyOf) return { source, problems: [] };
  const { anyOf, ...rest } = source;
  const values = anyOf.filter((member) => !isNull(member));
  const [first, ...others] = values;
  const nullable = values.length < anyOf.length || values.some((member) => member.nullable === true);
  const merged = { ...first, ...rest, ...(nullable && { nullable: true }) };
  if (others.length === 0) return { source: merged, problems: [] };
  const oneType = values.every((member) => member.type === first?.type && member.enum !== undefined);
  if (!oneType)
    return refused(
      rest,
      "a union of different types or shapes has no structural form: use one type, an enumeration, or an object of optional members",
    );
  return { source: { ...merged, enum: [...new Set(values.flatMap((member) => member.enum ?? []))] }, problems: [] };
}

function refused(source: Source, problem: string): Merged {
  return { source: { ...source, type: "boolean" }, problems: [problem] };
}

function isNull(member: Source): boolean {
  return member.enum?.length === 1 && member.enum[0] === null;
}
