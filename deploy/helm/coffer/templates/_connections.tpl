{{/*
Connections to Postgres when all pools are full, with the replicas of the values and, while pods are
replaced, with one more of each part: a pool for requests, and one of two connections that publishes
changes, for each service of a process. As JSON.
*/}}
{{- define "coffer.connections" -}}
{{- $services := without (include "coffer.calls" . | fromJson | keys) "gateway" | len -}}
{{- $running := 0 -}}
{{- $replaced := 0 -}}
{{- range $part := without (include "coffer.parts" . | fromJsonArray) "gateway" -}}
{{- $own := include "coffer.partValues" (dict "root" $ "part" $part) | fromJson -}}
{{- $settings := merge (dict) $own.settings $.Values.settings
  (dict "COFFER_DATABASE_POOL_SIZE" $.Values.database.poolSize) -}}
{{- $scaling := $own.autoscaling -}}
{{- $replicas := ternary $scaling.maxReplicas $own.replicas $scaling.enabled | int -}}
{{- $hosted := eq $part "all" | ternary $services 1 -}}
{{- $pools := add (int $settings.COFFER_DATABASE_POOL_SIZE) 2 | mul $hosted -}}
{{- $running = add $running (mul $pools $replicas) -}}
{{- $replaced = add $replaced (mul $pools (add $replicas 1)) -}}
{{- end -}}
{{- dict "running" $running "replaced" $replaced | toJson -}}
{{- end -}}
