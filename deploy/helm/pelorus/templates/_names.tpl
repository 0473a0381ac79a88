{{- define "pelorus.name" -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- define "pelorus.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "pelorus.labels" -}}
{{ include "pelorus.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{- define "pelorus.secret" -}}
{{- .Values.key.existingSecret | default (printf "%s-key" (include "pelorus.name" .)) -}}
{{- end -}}
