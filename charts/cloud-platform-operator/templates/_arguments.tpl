{{/* The operator's command line. */}}

{{- define "cloud-platform-operator.arguments" -}}
- /app/operator.mjs
{{- range $name, $endpoint := .Values.endpoints }}
- --endpoint={{ $name }}={{ $endpoint.url }}
{{- if or $endpoint.caSecret $endpoint.caConfigMap }}
- --endpoint-ca={{ $name }}=/etc/cloud-platform/authorities/{{ $name }}/ca.crt
{{- end }}
{{- with $endpoint.requestsInTwoMinutes }}
- --endpoint-limit={{ $name }}={{ int64 . }}
{{- end }}
{{- end }}
{{- if include "cloud-platform-operator.simulated" . }}
- --endpoint=default=http://{{ include "cloud-platform-operator.fullname" . }}-simulator.{{ include "cloud-platform-operator.namespace" . }}.svc:8090
{{- end }}
{{- range .Values.watch.namespaces }}
- --namespace={{ . }}
{{- end }}
{{- if and .Values.watch.namespaces .Values.rbac.create }}
- --role-name=cloud-platform-operator
{{- end }}
{{- range .Values.disabledKinds }}
- --disabled-kind={{ . }}
{{- end }}
{{- range .Values.imageSources }}
- --image-source={{ . }}
{{- end }}
{{- if not .Values.catalogs.enabled }}
- --catalogs=off
{{- end }}
{{- with .Values.brandWord }}
- --brand-word={{ . }}
{{- end }}
{{- if .Values.readOnly }}
- --read-only=on
{{- end }}
{{- if .Values.protectByDefault }}
- --protect-by-default=on
{{- end }}
{{- with include "cloud-platform-operator.installationId" . }}
- --installation-id={{ . }}
{{- end }}
- --lease-name={{ include "cloud-platform-operator.leaseName" . }}
- --lease-namespace={{ include "cloud-platform-operator.leaseNamespace" . }}
- --installation-key-secret={{ include "cloud-platform-operator.installationKeySecret" . }}
- --metrics-address=:{{ .Values.metrics.port }}
{{- if .Values.metrics.secure.enabled }}
- --metrics-secure=on
{{- if .Values.metrics.secure.certificateSecret }}
- --metrics-certificate=/etc/cloud-platform/metrics-certificate
{{- end }}
{{- end }}
- --health-address=:{{ .Values.probes.port }}
{{- range $name, $value := omit .Values.settings "leaseName" "leaseNamespace" }}
- --{{ kebabcase $name }}={{ include "cloud-platform-operator.flag" $value }}
{{- end }}
{{- range .Values.extraArgs }}
- {{ . | quote }}
{{- end }}
{{- end }}

{{- define "cloud-platform-operator.flag" -}}
{{- if kindIs "bool" . }}{{ ternary "on" "off" . }}{{ else }}{{ . }}{{ end }}
{{- end }}

{{/* TCP ports of the API server and of every URL that the values name, as a list. */}}
{{- define "cloud-platform-operator.egressPorts" -}}
{{- $urls := concat list .Values.imageSources }}
{{- range .Values.endpoints }}
{{- $urls = append $urls .url }}
{{- end }}
{{- with .Values.settings.proxy }}
{{- $urls = append $urls . }}
{{- end }}
{{- $ports := list }}
{{- range .Values.networkPolicy.egressPorts }}
{{- $ports = append $ports (int .) }}
{{- end }}
{{- range $urls }}
{{- $url := urlParse . }}
{{- $port := regexFind ":[0-9]+$" $url.host | trimPrefix ":" }}
{{- $ports = append $ports (int (default (ternary "80" "443" (eq $url.scheme "http")) $port)) }}
{{- end }}
{{- $ports | uniq | toJson }}
{{- end }}

{{/* Not empty when the simulator is the endpoint `default`. */}}
{{- define "cloud-platform-operator.simulated" -}}
{{- if and .Values.simulator.enabled (not (hasKey (default dict .Values.endpoints) "default")) }}true{{ end }}
{{- end }}

{{- define "cloud-platform-operator.leaseName" -}}
{{- default (include "cloud-platform-operator.fullname" .) .Values.settings.leaseName }}
{{- end }}

{{- define "cloud-platform-operator.leaseNamespace" -}}
{{- default (include "cloud-platform-operator.namespace" .) .Values.settings.leaseNamespace }}
{{- end }}

{{/*
With Roles alone the operator cannot read kube-system; whoever installs often can, and the id is then what the operator
would have made of its UID.
*/}}
{{- define "cloud-platform-operator.installationId" -}}
{{- if .Values.installationId }}
{{- .Values.installationId }}
{{- else if .Values.watch.namespaces }}
{{- $system := lookup "v1" "Namespace" "" "kube-system" }}
{{- if $system }}
{{- $system.metadata.uid | sha256sum | trunc 8 }}
{{- end }}
{{- end }}
{{- end }}
