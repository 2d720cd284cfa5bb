{{/* What must hold before anything is installed, beyond what the schema can say. Where nothing can be looked up, that half says nothing. */}}

{{- define "cloud-platform-operator.checks" -}}
{{- include "cloud-platform-operator.checkValues" . }}
{{- if .Values.crds.enabled }}
{{- include "cloud-platform-operator.checkDowngrade" . }}
{{- end }}
{{- if and .Values.rbac.create .Values.checks.otherReleases }}
{{- include "cloud-platform-operator.checkReleases" . }}
{{- end }}
{{- end }}

{{- define "cloud-platform-operator.checkValues" -}}
{{- if not (or .Values.endpoints .Values.simulator.enabled) }}
{{- fail "endpoints: name the cloud API, for example --set endpoints.default.url=https://api.example.org, or try the simulator with --set simulator.enabled=true" }}
{{- end }}
{{- range $name, $endpoint := .Values.endpoints }}
{{- if and $endpoint.caSecret $endpoint.caConfigMap }}
{{- fail (printf "endpoints.%s: caSecret and caConfigMap exclude each other" $name) }}
{{- end }}
{{- end }}
{{- $plurals := include "cloud-platform-operator.plurals" . | fromYaml }}
{{- range .Values.disabledKinds }}
{{- if eq . "CloudAccount" }}
{{- fail "disabledKinds: CloudAccount cannot be disabled: all kinds need it" }}
{{- end }}
{{- if not (hasKey $plurals .) }}
{{- fail (printf "disabledKinds: there is no kind %s; kinds are %s" . (keys $plurals | sortAlpha | join ", ")) }}
{{- end }}
{{- end }}
{{- $watched := .Values.watch.namespaces }}
{{- if ne (len $watched) (len (uniq $watched)) }}
{{- fail "watch.namespaces: a namespace is named twice" }}
{{- end }}
{{- if and $watched (not (include "cloud-platform-operator.installationId" .)) }}
{{- fail "installationId: set it, since with watch.namespaces the operator cannot read the UID of kube-system; any short name will do, and it must stay the same" }}
{{- end }}
{{- if and (gt (int .Values.replicas) 1) (eq (toString .Values.settings.leaderElection) "false") }}
{{- fail "settings.leaderElection: false with more than one of replicas would have two of them work at once" }}
{{- end }}
{{- $budget := .Values.podDisruptionBudget }}
{{- if not (or (kindIs "invalid" $budget.minAvailable) (kindIs "invalid" $budget.maxUnavailable)) }}
{{- fail "podDisruptionBudget: minAvailable and maxUnavailable exclude each other" }}
{{- end }}
{{- if and .Values.metrics.secure.enabled .Values.metrics.podMonitor.enabled (not .Values.metrics.podMonitor.authorization) }}
{{- fail "metrics.podMonitor.authorization: name the Secret with the token for Prometheus, because the metrics are secure and a PodMonitor has no default. Or use metrics.serviceMonitor, or set metrics.secure.enabled=false" }}
{{- end }}
{{- if and .Values.metrics.serviceMonitor.enabled (not .Values.metrics.service.enabled) }}
{{- fail "metrics.serviceMonitor: it reads through the Service; set metrics.service.enabled=true or use metrics.podMonitor" }}
{{- end }}
{{- end }}

{{- define "cloud-platform-operator.checkDowngrade" -}}
{{- $stored := lookup "apiextensions.k8s.io/v1" "CustomResourceDefinition" "" "cloudaccounts.cloudplatform.dev" }}
{{- $installed := dig "metadata" "annotations" "cloudplatform.dev/version" "" $stored }}
{{- if and $installed (not .Values.crds.allowDowngrade) (eq -1 ((semver .Chart.AppVersion).Compare (semver (default "0.0.0" $installed)))) }}
{{- fail (printf "crds: this chart brings the definitions of %s, and the cluster has those of %s: fields that only the newer ones know would be dropped from every object. Install chart %s or newer; or, where that is meant, set crds.allowDowngrade=true" .Chart.AppVersion $installed $installed) }}
{{- end }}
{{- end }}

{{- define "cloud-platform-operator.checkReleases" -}}
{{- $name := "cloud-platform-operator" }}
{{- $everywhere := lookup "rbac.authorization.k8s.io/v1" "ClusterRole" "" $name }}
{{- include "cloud-platform-operator.checkOwner" (dict "root" . "role" $everywhere "what" "all namespaces") }}
{{- if .Values.watch.namespaces }}
{{- range .Values.watch.namespaces }}
{{- $role := lookup "rbac.authorization.k8s.io/v1" "Role" . $name }}
{{- include "cloud-platform-operator.checkOwner" (dict "root" $ "role" $role "what" (printf "the namespace %s" .)) }}
{{- end }}
{{- else }}
{{- range (lookup "rbac.authorization.k8s.io/v1" "Role" "" "").items }}
{{- if eq .metadata.name $name }}
{{- include "cloud-platform-operator.checkOwner" (dict "root" $ "role" . "what" (printf "the namespace %s" .metadata.namespace)) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/* A role of ours that this release did not make is that of another operator. */}}
{{- define "cloud-platform-operator.checkOwner" -}}
{{- if .role }}
{{- $release := dig "metadata" "annotations" "meta.helm.sh/release-name" "" .role }}
{{- $namespace := dig "metadata" "annotations" "meta.helm.sh/release-namespace" "" .role }}
{{- if not (and (eq $release .root.Release.Name) (eq $namespace .root.Release.Namespace)) }}
{{- $who := ternary (printf "the release %s in the namespace %s" $release $namespace) "an operator that was not installed by Helm" (ne $release "") }}
{{- fail (printf "watch.namespaces: %s manages %s already, and two operators must not manage the same objects. Give each release namespaces of its own, or uninstall the other%s" $who .what (ternary "" "; to take over what kustomize installed, see docs/upgrade-and-uninstall.md" (ne $release ""))) }}
{{- end }}
{{- end }}
{{- end }}
