/** What an instance refers to: the Secrets that deploy its image, and what it is made from. */
import type { References } from "../../core/kind/reference.ts";
import { imageReferences } from "./deployed-image.ts";
import type { InstanceSpec } from "./instance-spec.ts";

export const instanceReferences = {
  ...imageReferences,
  // The API takes it in base64, so that it may be gzip.
  userDataSecretRef: {
    secret: (spec) => spec.userDataSecretRef,
    key: "user-data",
    encoding: "base64",
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
