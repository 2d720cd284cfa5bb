import * as z from "zod";
import { manifest, manifests, map, section, text } from "./value-types.ts";

const scraping = {
  enabled: z.boolean().default(false).describe("Creates it; needs the Prometheus operator."),
  labels: map("Labels that your Prometheus selects by."),
  interval: text("How often, for example `30s`. Default: that of Prometheus."),
  scrapeTimeout: text("For how long. Default: that of Prometheus."),
  authorization: manifest(
    "Whose token is shown where the metrics are secure, as in a monitor of the Prometheus operator. Default of the ServiceMonitor: that of Prometheus' own service account.",
  ),
  tlsConfig: manifest(
    "How TLS is checked where the metrics are secure, as there. Default: with a certificate by its `ca.crt` and the name of the Service, else not at all.",
  ),
  relabelings: manifests("Rules on the target's labels."),
  metricRelabelings: manifests("Rules on the metrics."),
};

/** How the operator shows itself in Prometheus and Grafana. */
export const metrics = section("How the operator shows itself.", {
  port: z.number().int().min(1024).max(65_535).default(8080).describe("Port of the metrics in the pods."),
  secure: section("Metrics over TLS, for those alone who may read them.", {
    enabled: z
      .boolean()
      .default(false)
      .describe(
        "Serves them so. Whoever reads them shows the token of a service account that may get `/metrics`: bind it to the ClusterRole `<full name>-metrics-reader`.",
      ),
    certificateSecret: text(
      "A Secret with `tls.crt`, `tls.key` and, for the monitors, `ca.crt`, such as cert-manager makes; read again when it changes. Default: a certificate that nobody can check.",
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
