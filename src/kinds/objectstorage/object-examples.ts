export const objectExamples = [
  {
    name: "robots",
    doc: "A file with content from a Secret. If the Secret changes, the operator writes the file again.",
    spec: {
      bucketRef: { name: "media" },
      objectKey: "robots.txt",
      contentSecretRef: { name: "robots", key: "robots.txt" },
      contentType: "text/plain",
    },
    changes: {
      acl: { acl: "public-read" as const },
      contentSecretRef: { contentSecretRef: { name: "robots", key: "closed.txt" } },
    },
    needs: [{ kind: "Bucket", example: "media" }],
    secrets: { robots: { "robots.txt": "User-agent: *\nAllow: /\n", "closed.txt": "User-agent: *\nDisallow: /\n" } },
  },
  {
    name: "security-txt",
    doc: "A file with content from a ConfigMap.",
    spec: {
      bucketRef: { name: "media" },
      objectKey: ".well-known/security.txt",
      contentConfigMapRef: { name: "well-known", key: "security.txt" },
      contentType: "text/plain",
    },
    changes: {
      acl: { acl: "public-read" as const },
      contentConfigMapRef: { contentConfigMapRef: { name: "well-known", key: "security-2027.txt" } },
    },
    needs: [{ kind: "Bucket", example: "media" }],
    configMaps: {
      "well-known": {
        "security.txt": "Contact: mailto:security@example.org\nExpires: 2027-01-01T00:00:00Z\n",
        "security-2027.txt": "Contact: mailto:security@example.org\nExpires: 2028-01-01T00:00:00Z\n",
      },
    },
  },
  {
    name: "logo",
    doc: "A picture with public read access, from the binaryData of a ConfigMap.",
    spec: {
      bucketRef: { name: "media" },
      objectKey: "img/logo.png",
      contentConfigMapRef: { name: "pictures", key: "logo.png" },
      contentType: "image/png",
      acl: "public-read" as const,
    },
    needs: [{ kind: "Bucket", example: "media" }],
    shownOnly: true,
  },
];
