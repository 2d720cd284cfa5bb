/** Fields that deploy an image, for a new instance, a rebuild and a disk: part 2, sections 4.1, 4.4 and 4.5. */
import * as z from "zod";
import { cloudName } from "../../core/kind/leaf-class.ts";
import type { Json } from "../../api/types.ts";
import { isObject } from "../../core/kind/differences.ts";
import { Invalid } from "../../core/kind/outcome.ts";
import type { Field } from "../../core/kind/live.ts";
import type { References } from "../../core/kind/reference.ts";
import { at } from "../../core/kind/rules.ts";
import { immutable, rule, secretKeyReference, setOf } from "../../core/kind/schema.ts";
import { inexactIn } from "../exact.ts";
import { nameLength } from "../name-length.ts";
import { publicKey } from "../public-key.ts";

/** Class of a name that a request contains only if the request deploys an image. */
const deployed = { creationOnly: true, neededFor: "image" };

/** Spec fields that need an image. See `needsImage`. */
export const deployedImage = {
  stackScript: immutable(
    z.object({
      id: cloudName("StackScript", z.int().min(1), deployed).describe("Identifier of the StackScript."),
      dataSecretRef: secretKeyReference(
        "Secret with the answers for the script: a JSON object of at most 65,535 characters.",
        "data",
      ).optional(),
    }),
  )
    .describe("Script that runs at the first boot. Needs an image. Cannot be changed.")
    .optional(),
  rootPasswordSecretRef: secretKeyReference(
    "Secret with the root password for a deployed image, 7 to 128 characters. If absent, the operator generates a password and stores it in the Secret <name>-root-password.",
    "password",
  ).optional(),
  authorizedKeys: immutable(
    setOf(publicKey, 100).describe(
      "Public SSH keys for logins as root. The cloud installs the keys with the image. Cannot be changed.",
    ),
    { absent: [] },
  ).optional(),
  authorizedUsers: immutable(
    setOf(cloudName("User", z.string().min(1).max(64), deployed), 100).describe(
      "Users of the account. The cloud installs their SSH keys for logins as root. Cannot be changed.",
    ),
    { absent: [] },
  ).optional(),
};

interface DeployedImage {
  image?: string | undefined;
  stackScript?: { id: number; dataSecretRef?: { name: string; key?: string | undefined } | undefined } | undefined;
  rootPasswordSecretRef?: { name: string; key?: string | undefined } | undefined;
  authorizedKeys?: string[] | undefined;
  authorizedUsers?: string[] | undefined;
}

/** Refuses the fields of `deployedImage` and `more` if the spec has no image. */
export function needsImage<T extends z.ZodType<DeployedImage>>(spec: T, more: readonly string[] = []): T {
  return [...Object.keys(deployedImage), ...more].reduce(
    (schema, field) =>
      rule(schema, {
        cel: `!has(self.${field}) || has(self.image)`,
        check: (value) => (value as Record<string, unknown>)[field] === undefined || value.image !== undefined,
        message: `spec.${field} needs spec.image. Remove the field, or set spec.image`,
        ...at(field),
      }),
    spec,
  );
}

export const passwordNameFits = nameLength({
  unless: "!has(self.spec.image) || has(self.spec.rootPasswordSecretRef)",
  max: 239,
  limit: "the name of the Secret with the password has room for 239",
  set: "spec.rootPasswordSecretRef",
});

/** Returns the Secret for a generated root password. Undefined if the spec has no image. */
export function generatedPassword(spec: DeployedImage, name: string): { name: string; key: string } | undefined {
  return spec.image === undefined ? undefined : { name: `${name}-root-password`, key: "password" };
}

/** A password. The cloud API accepts 7 to 128 characters. A user cannot type a line break at a login. */
export const password = {
  key: "password",
  refuses: (text: string) => (/^[^\r\n]{7,128}$/.test(text) ? undefined : "must have 7 to 128 characters in one line"),
};

/** Answers to the questions of a StackScript. */
export const scriptAnswers = {
  key: "data",
  refuses: (text: string) => {
    const data = parsed(text);
    if (!isObject(data) || text.length > 65_535) return "must be a JSON object of at most 65,535 characters";
    return inexactIn(data, "") === undefined
      ? undefined
      : `has a whole number beyond ${Number.MAX_SAFE_INTEGER}, which must be written as text`;
  },
};

export const imageReferences = {
  rootPasswordSecretRef: {
    secret: (spec) => spec.rootPasswordSecretRef,
    ...password,
    generate: generatedPassword,
    lost: "To set another root password, create a ComputeAction with the action ResetPassword, or ResetDiskPassword for a single disk",
    creationOnly: true,
    neededFor: "image",
  },
  "stackScript.dataSecretRef": {
    secret: (spec) => spec.stackScript?.dataSecretRef,
    ...scriptAnswers,
    creationOnly: true,
    neededFor: "image",
  },
} satisfies References<DeployedImage>;

/** User data. The API reads base64, so the data can be gzip. */
export const userData = { key: "user-data", encoding: "base64", creationOnly: true } as const;

/** Body fields of a deployment, without the image. */
export const deploymentFields = {
  root_pass: {
    specField: "rootPasswordSecretRef",
    desired: ({ spec, refs }) =>
      spec.image === undefined ? undefined : needed("spec.rootPasswordSecretRef", refs.rootPasswordSecretRef),
    on: "create",
    sensitive: true,
  },
  authorized_keys: { desired: ({ spec }) => spec.authorizedKeys, on: "create" },
  authorized_users: { desired: ({ spec }) => spec.authorizedUsers, on: "create" },
  stackscript_id: { specField: "stackScript.id", desired: ({ spec }) => spec.stackScript?.id, on: "create" },
  stackscript_data: {
    specField: "stackScript.dataSecretRef",
    desired: ({ spec, refs }) => spec.stackScript?.dataSecretRef && scriptData(refs["stackScript.dataSecretRef"]),
    on: "create",
    sensitive: true,
  },
} satisfies Record<string, Field<DeployedImage, typeof imageReferences, never>>;

/** Returns the answers to a StackScript. */
export function scriptData(value: string | undefined, field = "spec.stackScript.dataSecretRef"): Json {
  return parsed(needed(field, value)) ?? {};
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** Returns the value of a Secret that a deployment needs. Throws `Invalid` if the Secret does not exist. */
export function needed(field: string, value: string | undefined): string {
  if (value !== undefined) return value;
  throw new Invalid(field, "deploying an image needs the value of this Secret, and it does not exist. Create it");
}
