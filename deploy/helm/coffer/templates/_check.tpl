{{/* Refuses values that no schema can refuse, before anything is created. */}}
{{- define "coffer.check" -}}
{{- $values := .Values -}}
{{- $reserved := list "COFFER_HOST" "COFFER_PORT" "COFFER_RPC_PORT" "COFFER_GRPC_PORT"
  "COFFER_DATA_DIR" "COFFER_KEYS_DIR" "COFFER_LAME_DUCK_SECONDS" "COFFER_EXTERNAL_URL"
  "COFFER_DATABASE_POOLER" "COFFER_DATABASE_CA" "COFFER_NATS_URL" "COFFER_NATS_REPLICAS"
  "COFFER_NATS_STREAM_BYTES"
  "COFFER_NATS_CA" "COFFER_TEMPORAL_ADDRESS" "COFFER_TEMPORAL_NAMESPACE" "COFFER_TEMPORAL_CA"
  "COFFER_STORAGE" "COFFER_STORAGE_BUCKET" "COFFER_STORAGE_ENDPOINT" "COFFER_STORAGE_REGION"
  "COFFER_STORAGE_PATH_STYLE" "COFFER_REPLICAS"
-}}
{{- range $part, $own := merge (dict "settings" $values) $values.parts -}}
{{- range $name, $_ := ($own | default dict).settings -}}
{{- if has $name $reserved -}}
{{- fail (printf "settings: %s has a value of its own in values.yaml" $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $uploads := get $values.settings "COFFER_UPLOADS_ENABLED" | toString -}}
{{- if and (eq $uploads "true") (not $values.storage.bucket) -}}
{{- fail "storage.bucket: uploads need an object store, because the processes share no disk" -}}
{{- end -}}
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
{{- if not $values.temporal.address -}}
{{- fail "temporal.address: is needed" -}}
{{- end -}}
{{- end -}}
