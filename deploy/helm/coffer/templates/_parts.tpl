{{/* The services and the gateway, each with the services that it calls, as JSON. */}}
{{- define "coffer.calls" -}}
{{- .Files.Get "files/calls.json" -}}
{{- end -}}

{{/* The parts that have a Deployment, as a JSON list: "all" is one process with everything. */}}
{{- define "coffer.parts" -}}
{{- if eq .Values.mode "single" -}}
["all"]
{{- else -}}
{{- include "coffer.calls" . | fromJson | keys | sortAlpha | toJson -}}
{{- end -}}
{{- end -}}

{{/* The part that serves the REST API. */}}
{{- define "coffer.gatewayPart" -}}
{{- eq .Values.mode "single" | ternary "all" "gateway" -}}
{{- end -}}

{{/* The values of a part over those of all parts, as JSON; without pods if all is stopped. */}}
{{- define "coffer.partValues" -}}
{{- $defaults := deepCopy .root.Values.defaults -}}
{{- $own := deepCopy (index .root.Values.parts .part | default dict) -}}
{{- $stop := dict "replicas" 0 "autoscaling" (dict "enabled" false) -}}
{{- mergeOverwrite $defaults $own (.root.Values.stopped | ternary $stop dict) | toJson -}}
{{- end -}}

{{/* Seconds from the stop signal to the kill: lame duck, at most 15 s of draining, and 5 s. */}}
{{- define "coffer.graceSeconds" -}}
{{- add .Values.lameDuckSeconds 15 5 -}}
{{- end -}}
