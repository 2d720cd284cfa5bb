import * as z from "zod";
import { manifest, manifests, map, section, text } from "./value-types.ts";

const scraping = {
  enabled: z.boolean().default(false).describe("Creates it; needs the Prometheus operator."),
  labels: map("Labels that your Prometheus selects by."),
  interval: text("How often, for example `30s`. Default: that of Prometheus."),
  scrapeTimeout: text("For how long. Default: that of Prometheus."),
  authorization: manifest(
    "The token for secure metrics, as in a monitor of the Prometheus operator. Default of the ServiceMonitor: the token of Prometheus' own service account. A PodMonitor has no default.",
  ),
  tlsConfig: manifest(
    "How Prometheus verifies the certificate of secure metrics, as in a monitor. Default: with `certificateSecret` by its `ca.crt` and the name of the Service; otherwise Prometheus does not verify it.",
  ),
  relabelings: manifests("Rules on the target's labels."),
  metricRelabelings: manifests("Rules on the metrics."),
};

/** How the operator shows itself in Prometheus and Grafana. */
export const metrics = section("How the operator shows itself.", {
  port: z.number().int().min(1024).max(65_535).default(8080).describe("Port of the metrics in the pods."),
  secure: section("Metrics over HTTPS, with authentication and authorization by the API server.", {
    enabled: z
      .boolean()
      .default(true)
      .describe(
        "Serves metrics over HTTPS, and only to a service account that may get `/metrics`: bind it to the ClusterRole `<full name>-metrics-reader`. The operator needs a ClusterRole to ask the API server, with `watch.namespaces` too. False serves plain HTTP to every client that reaches the port, and creates no ClusterRole.",
      ),
    certificateSecret: text(
      "A Secret with `tls.crt`, `tls.key` and, for the monitors, `ca.crt`, for example from cert-manager. The operator reads it again when it changes. Default: the operator signs a certificate itself and replaces it every 30 days; a client cannot verify it.",
    ),
  }),
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
