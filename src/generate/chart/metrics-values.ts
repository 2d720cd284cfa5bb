import * as z from "zod";
import { manifest, manifests, map, section, text } from "./value-types.ts";

const scraping = {
  enabled: z.boolean().default(false).describe("Creates the monitor. Requires the Prometheus operator."),
  labels: map("Labels by which your Prometheus selects the monitor."),
  interval: text("Interval between scrapes, for example `30s`. Defaults to the interval of Prometheus."),
  scrapeTimeout: text("Timeout of a scrape, for example `10s`. Defaults to the timeout of Prometheus."),
  authorization: manifest(
    "Token for secure metrics, in the format of the Prometheus operator. A ServiceMonitor defaults to the token of the service account of Prometheus. A PodMonitor has no default.",
  ),
  tlsConfig: manifest(
    "TLS settings for secure metrics, in the format of the Prometheus operator. With `certificateSecret`, Prometheus by default verifies the certificate with `ca.crt` and the name of the Service. Without `certificateSecret`, Prometheus by default does not verify the certificate.",
  ),
  relabelings: manifests("Relabeling rules for the labels of the target."),
  metricRelabelings: manifests("Relabeling rules for the metrics."),
};

export const metrics = section("Metrics, alerts and dashboard of the operator.", {
  port: z.number().int().min(1024).max(65_535).default(8080).describe("Port of the metrics in the pods."),
  secure: section("Metrics over HTTPS, with authentication and authorization by the API server.", {
    enabled: z
      .boolean()
      .default(true)
      .describe(
        "Serves metrics over HTTPS, only to service accounts that may get `/metrics`. To permit an account, bind the account to the ClusterRole `<full name>-metrics-reader`. The operator then needs a ClusterRole to check clients, also with `watch.namespaces`. With false, the operator serves plain HTTP to every client, and the chart creates no ClusterRole.",
      ),
    certificateSecret: text(
      "Secret with `tls.crt`, `tls.key` and, for the monitors, `ca.crt`, for example from cert-manager. The operator reloads a changed Secret. Defaults to a self-signed certificate, which clients cannot verify. The operator replaces the self-signed certificate every 30 days.",
    ),
  }),
  service: section("A Service in front of the metrics.", {
    enabled: z.boolean().default(true).describe("Creates the Service. The ServiceMonitor requires the Service."),
    port: z.number().int().min(1).max(65_535).default(8080).describe("Port of the Service."),
    labels: map("Additional labels of the Service."),
    annotations: map("Annotations of the Service, for example for service discovery by Prometheus."),
  }),
  serviceMonitor: section("ServiceMonitor: Prometheus scrapes the metrics through the Service.", scraping),
  podMonitor: section("PodMonitor: Prometheus scrapes the metrics of each pod.", scraping),
  prometheusRule: section("PrometheusRule with alerts.", {
    enabled: z.boolean().default(false).describe("Creates the alerts. Requires the Prometheus operator."),
    labels: map("Labels by which your Prometheus selects the rules."),
  }),
  dashboard: section("Dashboard for Grafana, in a ConfigMap.", {
    enabled: z
      .boolean()
      .default(false)
      .describe("Creates the ConfigMap. The sidecar of Grafana finds the ConfigMap by label."),
    labels: z
      .record(z.string(), z.string())
      .default({ grafana_dashboard: "1" })
      .describe("Labels by which the sidecar selects the ConfigMap."),
    annotations: map("Annotations of the ConfigMap, for example the folder annotation of the sidecar."),
  }),
});
