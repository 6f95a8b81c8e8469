{{- define "coffer.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{/* Prefix of all names. Short enough for "-aggregator-sync" to be appended. */}}
{{- define "coffer.fullname" -}}
{{- $name := include "coffer.name" . -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else if contains $name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* Labels that select pods. Takes the root and, for the pods of one part, its name. */}}
{{- define "coffer.selector" -}}
app.kubernetes.io/name: {{ include "coffer.name" .root }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
{{- with .part }}
app.kubernetes.io/component: {{ . }}
{{- end }}
{{- end -}}

{{- define "coffer.labels" -}}
{{ include "coffer.selector" . }}
app.kubernetes.io/version: {{ .root.Values.image.tag | default .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- end -}}

{{/* Name of the Deployment of a part. In mode single it is the name of the release alone. */}}
{{- define "coffer.partName" -}}
{{- $fullname := include "coffer.fullname" .root -}}
{{- eq .part "all" | ternary $fullname (printf "%s-%s" $fullname .part) -}}
{{- end -}}

{{- define "coffer.keysSecret" -}}
{{- .Values.keys.secretName | default (printf "%s-keys" (include "coffer.fullname" .)) -}}
{{- end -}}

{{- define "coffer.serviceAccount" -}}
{{- $values := .Values.serviceAccount -}}
{{- $values.name | default ($values.create | ternary (include "coffer.fullname" .) "default") -}}
{{- end -}}

{{- define "coffer.image" -}}
{{- $image := .Values.image -}}
{{- $tag := $image.tag | default .Chart.AppVersion -}}
{{- if $image.digest -}}
{{- printf "%s@%s" $image.repository $image.digest -}}
{{- else -}}
{{- printf "%s:%s" $image.repository $tag -}}
{{- end -}}
{{- end -}}
