{{- define "baton.name" -}}
{{- if contains "baton" .Release.Name }}{{ .Release.Name | trunc 53 | trimSuffix "-" }}{{ else }}{{ printf "%s-baton" .Release.Name | trunc 53 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "baton.selector" -}}
app.kubernetes.io/name: baton
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "baton.labels" -}}
{{ include "baton.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "baton.metadata" -}}
name: {{ include "baton.name" . }}
namespace: {{ .Release.Namespace }}
labels:
  {{- include "baton.labels" . | nindent 2 }}
{{- end }}

{{- define "baton.config" -}}
{{- $http := dict "http" (dict "address" "0.0.0.0" "port" .Values.http.port) -}}
{{- toYaml (merge $http .Values.config) }}
{{- end }}
