import * as z from "zod";
import { manifests, map, section, text } from "./value-types.ts";

const scraping = {
  enabled: z.boolean().default(false).describe("Creates it; needs the Prometheus operator."),
  labels: map("Labels that your Prometheus selects by."),
  interval: text("How often, for example `30s`. Default: that of Prometheus."),
  scrapeTimeout: text("For how long. Default: that of Prometheus."),
  relabelings: manifests("Rules on the target's labels."),
  metricRelabelings: manifests("Rules on the metrics."),
};

/** How the operator shows itself in Prometheus and Grafana. */
export const metrics = section("How the operator shows itself.", {
  port: z.number().int().min(1024).max(65_535).default(8080).describe("Port of the metrics in the pods."),
  service: section("A Service in front of the metrics.", {
    enabled: z.boolean().default(true).describe("Creates it; the ServiceMonitor needs it."),
    port: z.number().int().min(1).max(65_535).default(8080).describe("Its port."),
    labels: map("Further labels on it."),
    annotations: map("Annotations on it, for example for a Prometheus that finds Services by them."),
  }),
  serviceMonitor: section("Has Prometheus read the metrics through the Service.", scraping),
  podMonitor: section("Has Prometheus read the metrics of each pod.", scraping),
  prometheusRule: section("Alerts.", {
    enabled: z.boolean().default(false).describe("Creates them; needs the Prometheus operator."),
    labels: map("Labels that your Prometheus selects by."),
  }),
  dashboard: section("A dashboard for Grafana, in a ConfigMap.", {
    enabled: z.boolean().default(false).describe("Creates it; Grafana's sidecar finds it by its label."),
    labels: z
      .record(z.string(), z.string())
      .default({ grafana_dashboard: "1" })
      .describe("Labels that the sidecar selects."),
    annotations: map("Annotations on it, for example the sidecar's for the folder."),
  }),
});
