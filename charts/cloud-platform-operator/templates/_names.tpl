{{/* Names and labels. Every template of this folder is about one subject; values are checked in _checks.tpl. */}}

{{- define "cloud-platform-operator.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "cloud-platform-operator.fullname" -}}
{{- $name := include "cloud-platform-operator.name" . }}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 52 | trimSuffix "-" }}
{{- else if contains $name .Release.Name }}
{{- .Release.Name | trunc 52 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name $name | trunc 52 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "cloud-platform-operator.namespace" -}}
{{- default .Release.Namespace .Values.namespaceOverride }}
{{- end }}

{{- define "cloud-platform-operator.serviceAccount" -}}
{{- $default := ternary (include "cloud-platform-operator.fullname" .) "default" .Values.serviceAccount.create }}
{{- default $default .Values.serviceAccount.name }}
{{- end }}

{{/* The operator as the API server knows it. */}}
{{- define "cloud-platform-operator.user" -}}
{{- $default := printf "system:serviceaccount:%s:%s" (include "cloud-platform-operator.namespace" .) (include "cloud-platform-operator.serviceAccount" .) }}
{{- default $default .Values.journalPolicy.operatorUser }}
{{- end }}

{{- define "cloud-platform-operator.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/part-of: cloud-platform-operator
{{ include "cloud-platform-operator.instance" . }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* What all objects carry, with `own` of the object, which goes first; empty where there is none. */}}
{{- define "cloud-platform-operator.annotations" -}}
{{- with merge (dict) (default dict .own) .root.Values.commonAnnotations -}}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "cloud-platform-operator.instance" -}}
app.kubernetes.io/name: {{ include "cloud-platform-operator.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{/* What selects the operator's pods, and not the simulator's. */}}
{{- define "cloud-platform-operator.selector" -}}
{{ include "cloud-platform-operator.instance" . }}
app.kubernetes.io/component: operator
{{- end }}

{{- define "cloud-platform-operator.simulatorSelector" -}}
{{ include "cloud-platform-operator.instance" . }}
app.kubernetes.io/component: simulator
{{- end }}

{{/* The Secret that the operator makes for its key, which no template makes, and the Role for it. */}}
{{- define "cloud-platform-operator.installationKeyName" -}}
{{- printf "%s-installation-key" (include "cloud-platform-operator.fullname" .) }}
{{- end }}

{{- define "cloud-platform-operator.installationKeySecret" -}}
{{- default (include "cloud-platform-operator.installationKeyName" .) .Values.installationKey.existingSecret }}
{{- end }}

{{- define "cloud-platform-operator.image" -}}
{{- $tag := default .Chart.AppVersion .Values.image.tag }}
{{- $repository := .Values.image.repository }}
{{- with .Values.global.imageRegistry }}
{{- $repository = printf "%s/%s" (trimSuffix "/" .) (regexReplaceAll "^[^/]*[.:][^/]*/" $repository "") }}
{{- end }}
{{- with .Values.image.digest }}
{{- printf "%s:%s@%s" $repository $tag . }}
{{- else }}
{{- printf "%s:%s" $repository $tag }}
{{- end }}
{{- end }}

{{- define "cloud-platform-operator.crdMetadata" -}}
labels:
  {{- include "cloud-platform-operator.labels" . | nindent 2 }}
annotations:
  {{- $version := semver .Chart.AppVersion }}
  cloudplatform.dev/version: {{ .Chart.AppVersion | quote }}
  cloudplatform.dev/revision: {{ add (mul $version.Major 1000000) (mul $version.Minor 1000) $version.Patch | quote }}
  {{- if .Values.crds.allowDowngrade }}
  cloudplatform.dev/allow-downgrade: "true"
  {{- end }}
  {{- if .Values.crds.keep }}
  helm.sh/resource-policy: keep
  {{- end }}
  {{- with .Values.commonAnnotations }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}

{{/* "true" or "false": what exists once in a cluster comes with the definitions unless its own value says otherwise. */}}
{{- define "cloud-platform-operator.aggregateRoles" -}}
{{- ternary .Values.crds.enabled .Values.rbac.aggregateRoles (kindIs "invalid" .Values.rbac.aggregateRoles) }}
{{- end }}

{{- define "cloud-platform-operator.protectPolicy" -}}
{{- ternary .Values.crds.enabled .Values.protectPolicy.enabled (kindIs "invalid" .Values.protectPolicy.enabled) }}
{{- end }}

{{- define "cloud-platform-operator.riskPolicies" -}}
{{- ternary .Values.crds.enabled .Values.riskPolicies.enabled (kindIs "invalid" .Values.riskPolicies.enabled) }}
{{- end }}

{{- define "cloud-platform-operator.secretPolicies" -}}
{{- ternary .Values.crds.enabled .Values.secretPolicies.enabled (kindIs "invalid" .Values.secretPolicies.enabled) }}
{{- end }}

{{- define "cloud-platform-operator.journalPolicy" -}}
{{- ternary .Values.crds.enabled .Values.journalPolicy.enabled (kindIs "invalid" .Values.journalPolicy.enabled) }}
{{- end }}

{{/* One for each release, since each has its own operator. */}}
{{- define "cloud-platform-operator.journalPolicyName" -}}
{{- printf "journal.%s.%s.cloudplatform.dev" (include "cloud-platform-operator.fullname" .) (include "cloud-platform-operator.namespace" .) }}
{{- end }}

{{/*
A set of rules without the kinds that are switched off and what only these need, and without what settings.secretAccess leaves out. A rule about nothing is left out: the API server would refuse it. Of kinds that are switched off, the operator still lists the metadata: their objects can hold others.
*/}}
{{- define "cloud-platform-operator.rules" -}}
{{- $plurals := include "cloud-platform-operator.plurals" .root | fromYaml }}
{{- $off := list }}
{{- range .root.Values.disabledKinds }}
{{- $off = append $off (get $plurals .) }}
{{- end }}
{{- $readers := include "cloud-platform-operator.configMapReaders" .root | fromYamlArray }}
{{- range .root.Values.disabledKinds }}
{{- $readers = without $readers . }}
{{- end }}
{{- if not $readers }}
{{- $off = append $off "configmaps" }}
{{- end }}
{{- $rules := list }}
{{- $left := list }}
{{- range include (printf "cloud-platform-operator.rules.%s" .set) .root | fromYamlArray }}
{{- $rule := . }}
{{- $kept := list }}
{{- range .resources }}
{{- if not (and (or (has "cloudplatform.dev" $rule.apiGroups) (eq "configmaps" .)) (has (first (splitList "/" .)) $off)) }}
{{- $kept = append $kept . }}
{{- else if not (or (contains "/" .) (eq "configmaps" .)) }}
{{- $left = append $left . }}
{{- end }}
{{- end }}
{{- if $kept }}
{{- $verbs := $rule.verbs }}
{{- if and (or (has "secrets" $kept) (has "configmaps" $kept)) (eq (default "watch" $.root.Values.settings.secretAccess) "get") }}
{{- $verbs = without $verbs "list" "watch" }}
{{- end }}
{{- $rules = append $rules (merge (dict "resources" $kept "verbs" $verbs) $rule) }}
{{- end }}
{{- end }}
{{- if and $left (eq .set "everywhere") }}
{{- $rules = append $rules (dict "apiGroups" (list "cloudplatform.dev") "resources" ($left | uniq) "verbs" (list "list" "watch")) }}
{{- end }}
{{- if $rules }}
{{- toYaml $rules }}
{{- end }}
{{- end }}
