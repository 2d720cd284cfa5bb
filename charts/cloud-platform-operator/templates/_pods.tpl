{{/* What the operator's pods, the guard's and the simulator's have in common, and the operator's volumes. */}}

{{- define "cloud-platform-operator.podSpec" -}}
{{- with concat (default list .Values.global.imagePullSecrets) .Values.imagePullSecrets | uniq }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- if not .Values.hostUsers }}
hostUsers: false
{{- end }}
{{- with .Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
securityContext:
  {{- toYaml .Values.podSecurityContext | nindent 2 }}
{{- with .Values.dnsPolicy }}
dnsPolicy: {{ . }}
{{- end }}
{{- with .Values.dnsConfig }}
dnsConfig:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.hostAliases }}
hostAliases:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* Names of the endpoints with authorities of their own, as a list. */}}
{{- define "cloud-platform-operator.authorities" -}}
{{- $names := list }}
{{- range $name, $endpoint := .Values.endpoints }}
{{- if or $endpoint.caSecret $endpoint.caConfigMap }}
{{- $names = append $names $name }}
{{- end }}
{{- end }}
{{- toJson $names }}
{{- end }}

{{/* Name of the Secret with the certificate of the metrics, where one is used. */}}
{{- define "cloud-platform-operator.metricsCertificate" -}}
{{- with .Values.metrics.secure }}
{{- if .enabled }}{{ .certificateSecret }}{{ end }}
{{- end }}
{{- end }}

{{- define "cloud-platform-operator.mounts" -}}
{{- $names := include "cloud-platform-operator.authorities" . | fromJsonArray }}
{{- $certificate := include "cloud-platform-operator.metricsCertificate" . }}
{{- if or $names $certificate .Values.extraVolumeMounts }}
volumeMounts:
  {{- if $certificate }}
  - name: metrics-certificate
    mountPath: /etc/cloud-platform/metrics-certificate
    readOnly: true
  {{- end }}
  {{- range $names }}
  - name: authorities-{{ . }}
    mountPath: /etc/cloud-platform/authorities/{{ . }}
    readOnly: true
  {{- end }}
  {{- with .Values.extraVolumeMounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}
{{- end }}

{{- define "cloud-platform-operator.volumes" -}}
{{- $names := include "cloud-platform-operator.authorities" . | fromJsonArray }}
{{- $certificate := include "cloud-platform-operator.metricsCertificate" . }}
{{- if or $names $certificate .Values.extraVolumes }}
volumes:
  {{- if $certificate }}
  - name: metrics-certificate
    projected:
      sources:
        - secret:
            name: {{ $certificate }}
            items:
              - key: tls.crt
                path: tls.crt
              - key: tls.key
                path: tls.key
  {{- end }}
  {{- range $names }}
  {{- $endpoint := index $.Values.endpoints . }}
  {{- $source := default $endpoint.caConfigMap $endpoint.caSecret }}
  - name: authorities-{{ . }}
    projected:
      sources:
        - {{ ternary "secret" "configMap" (not (empty $endpoint.caSecret)) }}:
            name: {{ $source.name }}
            items:
              - key: {{ default "ca.crt" $source.key }}
                path: ca.crt
  {{- end }}
  {{- with .Values.extraVolumes }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}
{{- end }}
