export const imageExamples = [
  {
    name: "golden",
    doc: "An image of a disk.",
    spec: { source: { diskRef: { name: "data" } }, description: "The disk of the first web server." },
    changes: { label: { label: "golden-1" }, description: { description: "A disk of 2026." } },
    needs: [{ kind: "ComputeDisk", example: "data" }],
  },
  {
    name: "downloaded",
    doc: "An image from a URL. The operator downloads the data. The operator setting `imageSources` must permit the URL.",
    spec: {
      label: "appliance-1.4",
      description: "Version 1.4 of the appliance.",
      source: { download: { url: "https://images.example.org/appliance-1.4.img.gz", region: "us-east" } },
    },
    shownOnly: true,
  },
  {
    name: "uploaded",
    doc: "An image from your own job. The job sends the data to the URL in the Secret appliance-upload.",
    spec: {
      source: { handOff: { region: "us-east" } },
      connectionSecret: { name: "appliance-upload", labels: { app: "image-builder" } },
    },
    shownOnly: true,
  },
];
