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

{{- /* At most 52 characters: a label of each Pod has this name and a hash of 10, and a label has at most 63. */ -}}
{{- define "puente.name" -}}
{{- $name := .Release.Name }}
{{- if not (contains .Chart.Name .Release.Name) }}{{ $name = printf "%s-%s" (.Release.Name | trunc 45 | trimSuffix "-") .Chart.Name }}{{ end }}
{{- $name | trunc 52 | trimSuffix "-" }}
{{- end }}

{{- define "puente.serviceAccount" -}}
{{- if .Values.serviceAccount.create }}{{ .Values.serviceAccount.name | default (include "puente.name" .) }}{{ else }}{{ .Values.serviceAccount.name | default "default" }}{{ end }}
{{- end }}

{{- /* Seconds: all that a drain takes, the drainTimeout rounded up, and 5 for what is closed after it. */ -}}
{{- define "puente.gracePeriod" -}}
{{- $drainTimeout := int64 (dig "shutdown" "drainTimeout" 20000 .Values.config) }}
{{- add .Values.drain.preStopSeconds .Values.drain.readySeconds (div (add $drainTimeout 999) 1000) 5 }}
{{- end }}

{{- /* Fails for a value that an earlier chart had, or that this one sets. A schema cannot name what to do instead. */ -}}
{{- define "puente.requireKnown" -}}
{{- $fixes := dict
  "config.audit.chain" "each Pod's chain has the name of the Pod"
  "config.http.host" "the chart sets it"
  "config.http.port" "the chart sets it: service.port is the port of the Service"
  "config.ops.host" "the chart sets it"
  "config.ops.port" "the chart sets it"
  "config.shutdown.drainDelay" "the chart sets it to drain.readySeconds"
  "drain.gracePeriodSeconds" "the chart computes it from drain and config.shutdown.drainTimeout" }}
{{- range $path, $fix := $fixes }}
{{- $found := $.Values }}
{{- range splitList "." $path }}{{ $found = index ($found | default dict) . }}{{ end }}
{{- if ne nil $found }}{{ fail (printf "remove the value %s: %s" $path $fix) }}{{ end }}
{{- end }}
{{- end }}
