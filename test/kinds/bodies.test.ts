/** Each field of each body that an example sends is known as one of the spec, so that a refusal of it names what people wrote. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Json } from "../../src/api/types.ts";
import { isObject } from "../../src/core/kind/differences.ts";
import { specField } from "../../src/core/kind/spec-path.ts";
import { everyExample, everyIssued, everyRun, everySetting } from "../contract/support/subjects.ts";
import type { Subject } from "../contract/support/subjects.ts";

/** What no spec says, each with the reason. */
const unsaid: Record<string, string> = {
  "BucketObject expires_in": "how long the URL is valid that the content is sent to",
  "BucketObject method": "what is done with that URL",
  "Firewall rules": "holds what a spec has at its top",
  "IPAddress type": "every IPAddress is of IPv4",
  "Tag tags": "all tags of a cloud object that loses this one",
};

function bodiesOf({ kind, example }: Subject): Json[] {
  const text = readFileSync(new URL(`../contract/golden/${kind.kind}/${example.name}.http`, import.meta.url), "utf8");
  return [...text.matchAll(/^[{[][^]*?^[}\]]/gm)].map(([body]) => JSON.parse(body) as Json);
}

function namesIn(body: Json): string[] {
  return isObject(body) ? Object.keys(body) : [];
}

/** What a spec says in any form is called there as people like. */
const subjects = [...everyExample, ...everySetting, ...everyIssued, ...everyRun].filter(
  ({ kind }) => kind.kind !== "ProfilePreferences",
);

describe("Every field of a body follows from one of the spec", () => {
  it.each(subjects)("$title", (subject) => {
    const { kind, example } = subject;
    const names = new Set(bodiesOf(subject).flatMap(namesIn));
    const unknown = [...names].filter((name) => !specField(kind, name, { spec: example.spec }));
    expect(unknown.filter((name) => !unsaid[`${kind.kind} ${name}`])).toEqual([]);
  });
});
