{{/* Refuses values that no schema can refuse, before anything is created. */}}
{{- define "coffer.check" -}}
{{- include "coffer.checkSettings" . -}}
{{- include "coffer.checkServers" . -}}
{{- include "coffer.checkParts" . -}}
{{- include "coffer.checkRoutes" . -}}
{{- end -}}

{{/* Settings, those of parts included. */}}
{{- define "coffer.checkSettings" -}}
{{- $values := .Values -}}
{{- $reserved := list "COFFER_HOST" "COFFER_PORT" "COFFER_RPC_PORT" "COFFER_GRPC_PORT"
  "COFFER_METRICS_PORT" "COFFER_RPC_CA" "COFFER_RPC_CERT" "COFFER_RPC_KEY"
  "COFFER_DATA_DIR" "COFFER_KEYS_DIR" "COFFER_LAME_DUCK_SECONDS" "COFFER_EXTERNAL_URL"
  "COFFER_DATABASE_POOLER" "COFFER_DATABASE_CA" "COFFER_NATS_URL" "COFFER_NATS_REPLICAS"
  "COFFER_NATS_STREAM_BYTES"
  "COFFER_NATS_CA" "COFFER_TEMPORAL_ADDRESS" "COFFER_TEMPORAL_NAMESPACE" "COFFER_TEMPORAL_CA"
  "COFFER_STORAGE" "COFFER_STORAGE_BUCKET" "COFFER_STORAGE_ENDPOINT" "COFFER_STORAGE_REGION"
  "COFFER_STORAGE_PATH_STYLE" "COFFER_REPLICAS"
-}}
{{- $hasUploads := false -}}
{{- $hasKeyService := false -}}
{{- range $own := concat (list $values $values.defaults) (values $values.parts) -}}
{{- $settings := ($own | default dict).settings | default dict -}}
{{- $secrets := ($own | default dict).secretSettings | default dict -}}
{{- range $name := concat (keys $settings) (keys $secrets) | sortAlpha -}}
{{- if has $name $reserved -}}
{{- fail (printf "settings: %s has a value of its own in values.yaml" $name) -}}
{{- end -}}
{{- end -}}
{{- if eq (get $settings "COFFER_UPLOADS_ENABLED" | toString) "true" -}}
{{- $hasUploads = true -}}
{{- end -}}
{{- $service := get $settings "COFFER_KEY_SERVICE" | default "local" -}}
{{- if or (hasKey $secrets "COFFER_KEY_SERVICE") (ne $service "local") -}}
{{- $hasKeyService = true -}}
{{- end -}}
{{- end -}}
{{- if and $hasUploads (not $values.storage.bucket) -}}
{{- fail "storage.bucket: uploads need an object store, because the processes share no disk" -}}
{{- end -}}
{{- if and $values.keys.create $hasKeyService $values.keys.encryption -}}
{{- fail "keys.encryption: must be [], as COFFER_KEY_SERVICE has the key and none is created" -}}
{{- end -}}
{{- if not (or $hasKeyService $values.keys.encryption) -}}
{{- fail "keys.encryption: is needed, as COFFER_KEY_SERVICE is not set" -}}
{{- end -}}
{{- end -}}

{{/* Postgres, NATS, Temporal and the rules of connections to them. */}}
{{- define "coffer.checkServers" -}}
{{- $values := .Values -}}
{{- $services := without (include "coffer.calls" . | fromJson | keys | sortAlpha) "gateway" -}}
{{- range $name, $_ := $values.database.services -}}
{{- if not (has $name $services) -}}
{{- fail (printf "database.services: there is no service %s" $name) -}}
{{- end -}}
{{- end -}}
{{- range $services -}}
{{- $own := index $values.database.services . | default dict -}}
{{- if not (or $values.database.urls.secretName $values.database.url.secretName $own.url) -}}
{{- fail (printf "database.urls.secretName: is needed, as %s has no database of its own" .) -}}
{{- end -}}
{{- if and (eq $values.database.pooler "transaction")
  (not (or $values.database.urls.secretName $own.url)) -}}
{{- fail (printf "database.urls.secretName: is needed, as %s needs a role for the pooler" .) -}}
{{- end -}}
{{- end -}}
{{- if and $values.database.urls.secretName $values.database.url.secretName -}}
{{- fail "database.url.secretName: not beside database.urls, because every part would have it" -}}
{{- end -}}
{{- range $part := include "coffer.parts" . | fromJsonArray -}}
{{- $own := include "coffer.partValues" (dict "root" $ "part" $part) | fromJson -}}
{{- $nats := include "coffer.natsOf" (dict "root" $ "part" $part "values" $own) | fromJson -}}
{{- if not (or $nats.url $nats.urlSecret.secretName) -}}
{{- fail "nats.url: is needed, or nats.urls or nats.urlSecret" -}}
{{- end -}}
{{- end -}}
{{- $addresses := compact (list $values.nats.url $values.nats.urlSecret.secretName
  $values.nats.urls.secretName) -}}
{{- if gt (len $addresses) 1 -}}
{{- fail "nats: only one of url, urlSecret and urls can be set" -}}
{{- end -}}
{{- if and $values.rpc.tls.secretName (not $values.metricsPort) -}}
{{- fail "metricsPort: is needed with rpc.tls, because probes have no certificate" -}}
{{- end -}}
{{- if has (int $values.metricsPort) (list 4000 4001 4002) -}}
{{- fail "metricsPort: is the port of something else already" -}}
{{- end -}}
{{- if not $values.temporal.address -}}
{{- fail "temporal.address: is needed" -}}
{{- end -}}
{{- range $name := list "database" "nats" "temporal" -}}
{{- $ca := (index $values $name).ca -}}
{{- if and $ca.secretName (or $ca.configMapName $ca.system) -}}
{{- fail (printf "%s.ca: only one source can be set" $name) -}}
{{- end -}}
{{- $policy := $values.networkPolicy -}}
{{- if and $policy.enabled $policy.restrictEgress (not (index $policy.egress $name)) -}}
{{- fail (printf "networkPolicy.egress.%s: is needed with restrictEgress" $name) -}}
{{- end -}}
{{- end -}}
{{- $policy := $values.networkPolicy -}}
{{- if and $policy.enabled $policy.restrictEgress (not $policy.egress.storage)
  (or $values.storage.bucket $values.backup.enabled) -}}
{{- fail "networkPolicy.egress.storage: is needed with restrictEgress" -}}
{{- end -}}
{{- end -}}

{{/* Numbers of replicas, and values of parts that do not exist in the mode. */}}
{{- define "coffer.checkParts" -}}
{{- $parts := include "coffer.parts" . | fromJsonArray -}}
{{- range $part := $parts -}}
{{- $own := include "coffer.partValues" (dict "root" $ "part" $part) | fromJson -}}
{{- $scaling := $own.autoscaling -}}
{{- if gt (int $scaling.minReplicas) (int $scaling.maxReplicas) -}}
{{- fail (printf "parts.%s.autoscaling: minReplicas is %v, above maxReplicas, %v" $part
  $scaling.minReplicas $scaling.maxReplicas) -}}
{{- end -}}
{{- end -}}
{{- if eq .Values.mode "single" -}}
{{- range $part, $own := .Values.parts -}}
{{- if and $own (not (has $part $parts)) -}}
{{- fail (printf "parts.%s: has no effect in mode single, use parts.all" $part) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Routes without hosts would take requests to any host. */}}
{{- define "coffer.checkRoutes" -}}
{{- $values := .Values -}}
{{- if and $values.ingress.enabled (not $values.ingress.hosts) -}}
{{- fail "ingress.hosts: is needed" -}}
{{- end -}}
{{- if and $values.gatewayApi.enabled (not $values.gatewayApi.hostnames) -}}
{{- fail "gatewayApi.hostnames: is needed" -}}
{{- end -}}
{{- if and $values.gatewayApi.enabled (not $values.gatewayApi.parentRefs) -}}
{{- fail "gatewayApi.parentRefs: is needed" -}}
{{- end -}}
{{- end -}}
