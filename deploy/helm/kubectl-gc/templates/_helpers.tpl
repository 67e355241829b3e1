{{- define "kubectl-gc.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{/* The name of a CronJob has 52 characters at most. */}}
{{- define "kubectl-gc.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 52 | trimSuffix "-" }}
{{- else if contains (include "kubectl-gc.name" .) .Release.Name }}
{{- .Release.Name | trunc 52 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name (include "kubectl-gc.name" .) | trunc 52 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "kubectl-gc.guardName" -}}
{{ include "kubectl-gc.fullname" . }}-guard
{{- end }}

{{/* Is there a workload that reports? */}}
{{- define "kubectl-gc.reports" -}}
{{- if or .Values.cronJob.enabled .Values.serve.enabled }}true{{ end }}
{{- end }}

{{/* To the API server. */}}
{{- define "kubectl-gc.egress" -}}
- ports:
    {{- range .Values.networkPolicy.apiServer.ports }}
    - port: {{ . }}
      protocol: TCP
    {{- end }}
  {{- with .Values.networkPolicy.apiServer.cidrs }}
  to:
    {{- range . }}
    - ipBlock:
        cidr: {{ . }}
    {{- end }}
  {{- end }}
{{- end }}

{{- define "kubectl-gc.selectorLabels" -}}
app.kubernetes.io/name: {{ include "kubectl-gc.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "kubectl-gc.labels" -}}
{{ include "kubectl-gc.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "kubectl-gc.serviceAccountName" -}}
{{- if .Values.serviceAccount.create }}
{{- default (include "kubectl-gc.fullname" .) .Values.serviceAccount.name }}
{{- else }}
{{- default "default" .Values.serviceAccount.name }}
{{- end }}
{{- end }}

{{- define "kubectl-gc.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ default .Chart.AppVersion .Values.image.tag }}
{{- end }}
{{- end }}

{{/* Both workloads look for the same and write to the same sinks. */}}
{{- define "kubectl-gc.args" -}}
- --within={{ .Values.report.within }}
{{- range .Values.report.rules }}
- --rule={{ . }}
{{- end }}
{{- range .Values.report.skipRules }}
- --skip-rule={{ . }}
{{- end }}
{{- if .Values.report.config }}
- --config=/etc/kubectl-gc/config.yaml
{{- else }}
- --no-config
{{- end }}
- --fail-on={{ .Values.report.failOn }}
{{- if .Values.report.allowIncomplete }}
- --allow-incomplete
{{- end }}
{{- range .Values.sinks.policyReports }}
- --policy-reports={{ . }}
{{- end }}
{{- range .Values.report.extraArgs }}
- {{ . | quote }}
{{- end }}
{{- end }}

{{- define "kubectl-gc.podMetadata" -}}
labels:
  {{- include "kubectl-gc.selectorLabels" .root | nindent 2 }}
  app.kubernetes.io/component: {{ .component }}
  {{- with .root.Values.podLabels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- if or .root.Values.podAnnotations .root.Values.report.config }}
annotations:
  {{- with .root.Values.podAnnotations }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
  {{- with .root.Values.report.config }}
  checksum/config: {{ toYaml . | sha256sum }}
  {{- end }}
{{- end }}
{{- end }}

{{/* The restricted Pod Security Standard, and a root file system that cannot be written. */}}
{{- define "kubectl-gc.podSpec" -}}
serviceAccountName: {{ include "kubectl-gc.serviceAccountName" . }}
automountServiceAccountToken: true
enableServiceLinks: false
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
securityContext:
  runAsNonRoot: true
  {{- with .Values.runAsUser }}
  runAsUser: {{ . }}
  runAsGroup: {{ . }}
  {{- end }}
  seccompProfile:
    type: RuntimeDefault
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
{{- if or .Values.report.config .Values.extraVolumes }}
volumes:
  {{- if .Values.report.config }}
  - name: config
    configMap:
      name: {{ include "kubectl-gc.fullname" . }}
  {{- end }}
  {{- with .Values.extraVolumes }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}
{{- end }}

{{- define "kubectl-gc.container" -}}
name: kubectl-gc
image: {{ include "kubectl-gc.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- with .Values.extraEnv }}
env:
  {{- toYaml . | nindent 2 }}
{{- end }}
resources:
  {{- toYaml .Values.resources | nindent 2 }}
{{- if or .Values.report.config .Values.extraVolumeMounts }}
volumeMounts:
  {{- if .Values.report.config }}
  - name: config
    mountPath: /etc/kubectl-gc
    readOnly: true
  {{- end }}
  {{- with .Values.extraVolumeMounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}
{{- end }}
