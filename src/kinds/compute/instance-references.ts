/** What an instance refers to: the Secrets that deploy its image, and what it is made from. */
import type { References } from "../../core/kind/reference.ts";
import type { InstanceSpec } from "./instance-spec.ts";

export const instanceReferences = {
  rootPasswordSecretRef: {
    secret: (spec) => spec.rootPasswordSecretRef,
    key: "password",
    generate: generatedPassword,
    creationOnly: true,
    neededFor: "image",
  },
  // The API takes it in base64, so that it may be gzip.
  userDataSecretRef: {
    secret: (spec) => spec.userDataSecretRef,
    key: "user-data",
    encoding: "base64",
    creationOnly: true,
    neededFor: "image",
  },
  "stackScript.dataSecretRef": {
    secret: (spec) => spec.stackScript?.dataSecretRef,
    key: "data",
    creationOnly: true,
    neededFor: "image",
  },
  "source.backup": { kind: "ComputeSnapshot", from: (spec) => spec.source?.backup, creationOnly: true },
  "source.clone.instanceRef": {
    kind: "ComputeInstance",
    from: (spec) => spec.source?.clone?.instanceRef,
    creationOnly: true,
  },
} satisfies References<InstanceSpec>;

/** Where the root password is kept that is made when an image is deployed and none is given. */
export function generatedPassword(spec: InstanceSpec, name: string): { name: string; key: string } | undefined {
  return spec.image === undefined ? undefined : { name: `${name}-root-password`, key: "password" };
}
