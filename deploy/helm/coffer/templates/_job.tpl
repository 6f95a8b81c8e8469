{{/* Labels and annotations of a pod of a Job. Takes the root and the part. */}}
{{- define "coffer.jobMetadata" -}}
labels:
  {{- include "coffer.labels" . | nindent 2 }}
  {{- with .root.Values.jobs.podLabels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with .root.Values.jobs.podAnnotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* The pod of a Job but its containers and volumes. Takes the root. */}}
{{- define "coffer.jobPod" -}}
{{ include "coffer.podSecurity" . }}
{{- with include "coffer.placement" .Values.jobs | trim }}
{{ . }}
{{- end }}
restartPolicy: Never
{{- end -}}

{{/* Containers that start before those of a Job. Takes the root. */}}
{{- define "coffer.jobInitContainers" -}}
{{- with .Values.jobs.initContainers }}
{{- toYaml . }}
{{- end }}
{{- end -}}

{{/*
The annotations of an object that a Job needs, and of the Job: Helm creates both before everything
else, objects of a lower weight first. Takes the events and the weight. Those that succeed are
deleted after the last hook of the event.
*/}}
{{- define "coffer.hook" -}}
helm.sh/hook: {{ .events }}
helm.sh/hook-weight: {{ .weight | quote }}
helm.sh/hook-delete-policy: before-hook-creation{{ .kept | ternary "" ",hook-succeeded" }}
{{- end -}}

{{/* Names are looked up everywhere: the address of the cluster's DNS differs by its set-up. */}}
{{- define "coffer.dnsEgress" -}}
- ports: [{ port: 53, protocol: UDP }, { port: 53, protocol: TCP }]
{{- end -}}

{{/*
The network policy of a Job: no connections to it, and with restrictEgress only those of `rules`
(YAML) from it. A hook that precedes the Job, so that the Job never runs without it; in a namespace
that refuses all connections it could not run at all. Takes the root, the part, the events ("" for
an object that is no hook) and the rules.
*/}}
{{- define "coffer.jobPolicy" -}}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: {{ include "coffer.fullname" .root }}-{{ .part }}-job
  labels:
    {{- include "coffer.labels" . | nindent 4 }}
  {{- with .events }}
  annotations:
    {{- include "coffer.hook" (dict "events" . "weight" "-30" "kept" false) | nindent 4 }}
  {{- end }}
spec:
  podSelector:
    matchLabels:
      {{- include "coffer.selector" . | nindent 6 }}
  {{- if .root.Values.networkPolicy.restrictEgress }}
  policyTypes: [Ingress, Egress]
  egress:
    {{- include "coffer.dnsEgress" . | nindent 4 }}
    {{- .rules | trim | nindent 4 }}
    {{- with .root.Values.jobs.egress }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- else }}
  policyTypes: [Ingress]
  {{- end }}
{{- end -}}
