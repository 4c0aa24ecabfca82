{{- define "puente.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "puente.labels" -}}
{{ include "puente.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | replace "+" "_" | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "puente.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name }}{{ else }}{{ .Release.Name }}-{{ .Chart.Name }}{{ end }}
{{- end }}

{{- define "puente.serviceAccount" -}}
{{- if .Values.serviceAccount.create }}{{ .Values.serviceAccount.name | default (include "puente.name" .) }}{{ else }}{{ .Values.serviceAccount.name | default "default" }}{{ end }}
{{- end }}

{{- /* Seconds: all that a drain takes, the drainTimeout rounded up, and 5 for what is closed after it. */ -}}
{{- define "puente.gracePeriod" -}}
{{- $drainTimeout := int64 (dig "shutdown" "drainTimeout" 20000 .Values.config) }}
{{- add .Values.drain.preStopSeconds .Values.drain.readySeconds (div (add $drainTimeout 999) 1000) 5 }}
{{- end }}
