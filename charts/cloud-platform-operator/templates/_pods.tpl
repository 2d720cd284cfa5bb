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

{{- define "cloud-platform-operator.mounts" -}}
{{- $names := include "cloud-platform-operator.authorities" . | fromJsonArray }}
{{- if or $names .Values.extraVolumeMounts }}
volumeMounts:
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
{{- if or $names .Values.extraVolumes }}
volumes:
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
