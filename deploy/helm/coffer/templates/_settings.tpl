{{/* One variable from a key of a Secret. */}}
{{- define "coffer.secretVariable" -}}
- name: {{ .name }}
  valueFrom:
    secretKeyRef:
      name: {{ .from.secretName }}
      key: {{ .from.key }}
{{- end -}}

{{/* One variable with a value. As JSON, because numbers are printed as 1e+06 otherwise. */}}
{{- define "coffer.variable" -}}
- name: {{ .name }}
  value: {{ kindIs "string" .value | ternary .value (toJson .value) | quote }}
{{- end -}}

{{/* Name of a service in variables: AGGREGATOR_SYNC. */}}
{{- define "coffer.variableOf" -}}
{{- . | upper | replace "-" "_" -}}
{{- end -}}

{{/*
The settings of every process. Takes the root, and the values and Secrets of further settings.
*/}}
{{- define "coffer.commonSettings" -}}
{{- $fixed := dict
  "COFFER_HOST" .root.Values.host
  "COFFER_PORT" 4000
  "COFFER_RPC_PORT" 4001
  "COFFER_GRPC_PORT" 4002
  "COFFER_DATA_DIR" "/data"
  "COFFER_KEYS_DIR" "/etc/coffer/keys"
  "COFFER_LAME_DUCK_SECONDS" .root.Values.lameDuckSeconds
-}}
{{- with .root.Values.externalUrl }}
{{- $_ := set $fixed "COFFER_EXTERNAL_URL" . }}
{{- end }}
{{- range $name, $value := merge (dict) $fixed .settings }}
{{ include "coffer.variable" (dict "name" $name "value" $value) }}
{{- end }}
{{- range $name, $from := .secretSettings }}
{{ include "coffer.secretVariable" (dict "name" $name "from" $from) }}
{{- end }}
{{- end -}}

{{/* The variables of a part. Takes the root, the part and its values. */}}
{{- define "coffer.environment" -}}
{{- $root := .root -}}
{{- $calls := include "coffer.calls" $root | fromJson -}}
{{- $all := without (keys $calls | sortAlpha) "gateway" -}}
{{- $hosted := eq .part "all" | ternary $all (without (list .part) "gateway") -}}
{{- $pool := dict -}}
{{- if $hosted -}}
{{- $_ := set $pool "COFFER_DATABASE_POOL_SIZE" $root.Values.database.poolSize -}}
{{- end -}}
{{- include "coffer.commonSettings" (dict "root" $root
  "settings" (merge (dict) .values.settings $root.Values.settings $pool)
  "secretSettings" (merge (dict) .values.secretSettings $root.Values.secretSettings)) }}
{{- $scheme := empty $root.Values.rpc.tls.secretName | ternary "http" "https" }}
{{- range $service := (index $calls .part | default list) }}
{{- $host := include "coffer.partName" (dict "root" $root "part" $service) }}
{{ include "coffer.variable" (dict
  "name" (printf "COFFER_%s_URL" (include "coffer.variableOf" $service))
  "value" (printf "%s://%s:4001" $scheme $host)) }}
{{- end }}
{{- if $root.Values.metricsPort }}
{{ include "coffer.variable" (dict "name" "COFFER_METRICS_PORT"
  "value" $root.Values.metricsPort) }}
{{- end }}
{{- if $root.Values.rpc.tls.secretName }}
{{- range $name, $file := dict "COFFER_RPC_CA" "rpc-ca.crt" "COFFER_RPC_CERT" "rpc-tls.crt"
  "COFFER_RPC_KEY" "rpc-tls.key" }}
{{ include "coffer.variable" (dict "name" $name
  "value" (printf "/etc/coffer/servers/%s" $file)) }}
{{- end }}
{{- end }}
{{ include "coffer.natsSettings" . | trim }}
{{- if $hosted }}
{{ include "coffer.databaseSettings" (dict "root" $root "services" $hosted) | trim }}
{{ include "coffer.temporalSettings" . | trim }}
{{- end }}
{{- if has "ledger" $hosted }}
{{- include "coffer.storageSettings" . }}
{{- end }}
{{- end -}}

{{/* The databases of services. Takes the root and the names of the services. */}}
{{- define "coffer.databaseSettings" -}}
{{- $database := .root.Values.database -}}
{{ include "coffer.variable" (dict "name" "COFFER_DATABASE_POOLER" "value" $database.pooler) }}
{{- with $database.url.secretName }}
{{ include "coffer.secretVariable" (dict "name" "COFFER_DATABASE_URL" "from" $database.url) }}
{{- end }}
{{- range $service := .services }}
{{- $from := (index $database.services $service | default dict).url }}
{{- with $database.urls.secretName }}
{{- $from = $from | default (dict "secretName" . "key" $service) }}
{{- end }}
{{- with $from }}
{{- $name := printf "COFFER_%s_DATABASE_URL" (include "coffer.variableOf" $service) }}
{{ include "coffer.secretVariable" (dict "name" $name "from" .) }}
{{- end }}
{{- end }}
{{- include "coffer.databaseCa" .root }}
{{- end -}}

{{- define "coffer.databaseCa" -}}
{{- $ca := .Values.database.ca -}}
{{- if or $ca.secretName $ca.configMapName }}
{{ include "coffer.variable" (dict "name" "COFFER_DATABASE_CA"
  "value" "/etc/coffer/servers/database-ca.crt") }}
{{- end }}
{{- end -}}

{{/* Postgres as the owner of the tables, past a pooler: for the migration alone. */}}
{{- define "coffer.directSettings" -}}
{{- $database := .Values.database -}}
{{- $owner := $database.directUrl -}}
{{- if and $database.urls.secretName (not $owner.secretName) -}}
{{- $owner = dict "secretName" $database.urls.secretName "key" "owner" -}}
{{- end -}}
{{- with $owner.secretName }}
{{ include "coffer.secretVariable" (dict "name" "COFFER_DIRECT_DATABASE_URL" "from" $owner) }}
{{- end }}
{{- range $service, $urls := $database.services }}
{{- with $urls.directUrl }}
{{- $name := printf "COFFER_%s_DIRECT_DATABASE_URL" (include "coffer.variableOf" $service) }}
{{ include "coffer.secretVariable" (dict "name" $name "from" .) }}
{{- end }}
{{- end }}
{{- end -}}

{{/*
The values of NATS for a part, as JSON: those of the part, its keys in the Secrets of all parts, the
common ones. Takes the root, the part and its values.
*/}}
{{- define "coffer.natsOf" -}}
{{- $nats := deepCopy .root.Values.nats -}}
{{- if $nats.urls.secretName -}}
{{- $_ := set $nats "urlSecret" (dict "secretName" $nats.urls.secretName "key" .part) -}}
{{- end -}}
{{- if $nats.credentialFiles.secretName -}}
{{- $_ := set $nats "credentials" (dict
  "secretName" $nats.credentialFiles.secretName "key" (printf "%s.creds" .part)) -}}
{{- end -}}
{{- $own := (.values | default dict).nats | default dict -}}
{{- if $own.url -}}
{{- $_ := set $nats "urlSecret" (dict "secretName" "") -}}
{{- end -}}
{{- mergeOverwrite $nats $own | toJson -}}
{{- end -}}

{{/* The values of Temporal for a part, as JSON. Takes the root, the part and its values. */}}
{{- define "coffer.temporalOf" -}}
{{- $temporal := deepCopy .root.Values.temporal -}}
{{- if $temporal.apiKeys.secretName -}}
{{- $_ := set $temporal "apiKey" (dict "secretName" $temporal.apiKeys.secretName "key" .part) -}}
{{- end -}}
{{- mergeOverwrite $temporal ((.values | default dict).temporal | default dict) | toJson -}}
{{- end -}}

{{- define "coffer.natsSettings" -}}
{{- $nats := include "coffer.natsOf" . | fromJson -}}
{{- $directory := "/etc/coffer/servers" -}}
{{- if $nats.urlSecret.secretName }}
{{ include "coffer.secretVariable" (dict "name" "COFFER_NATS_URL" "from" $nats.urlSecret) }}
{{- else }}
{{ include "coffer.variable" (dict "name" "COFFER_NATS_URL" "value" $nats.url) }}
{{- end }}
{{ include "coffer.variable" (dict "name" "COFFER_NATS_REPLICAS" "value" $nats.replicas) }}
{{- /* The default is in the code. */}}
{{- if ne (int64 $nats.streamBytes) 1073741824 }}
{{ include "coffer.variable" (dict "name" "COFFER_NATS_STREAM_BYTES" "value" $nats.streamBytes) }}
{{- end }}
{{- if $nats.credentials.secretName }}
{{ include "coffer.variable" (dict "name" "COFFER_NATS_CREDENTIALS"
  "value" (printf "%s/nats.creds" $directory)) }}
{{- end }}
{{- if or $nats.ca.secretName $nats.ca.configMapName }}
{{ include "coffer.variable" (dict "name" "COFFER_NATS_CA"
  "value" (printf "%s/nats-ca.crt" $directory)) }}
{{- end }}
{{- if $nats.clientCertificate.secretName }}
{{ include "coffer.variable" (dict "name" "COFFER_NATS_CERT"
  "value" (printf "%s/nats-tls.crt" $directory)) }}
{{ include "coffer.variable" (dict "name" "COFFER_NATS_KEY"
  "value" (printf "%s/nats-tls.key" $directory)) }}
{{- end }}
{{- end -}}

{{- define "coffer.temporalSettings" -}}
{{- $temporal := include "coffer.temporalOf" . | fromJson -}}
{{- $directory := "/etc/coffer/servers" -}}
{{ include "coffer.variable" (dict "name" "COFFER_TEMPORAL_ADDRESS" "value" $temporal.address) }}
{{ include "coffer.variable" (dict "name" "COFFER_TEMPORAL_NAMESPACE"
  "value" $temporal.namespace) }}
{{- if or $temporal.ca.secretName $temporal.ca.configMapName }}
{{ include "coffer.variable" (dict "name" "COFFER_TEMPORAL_CA"
  "value" (printf "%s/temporal-ca.crt" $directory)) }}
{{- else if $temporal.ca.system }}
{{ include "coffer.variable" (dict "name" "COFFER_TEMPORAL_CA" "value" "system") }}
{{- end }}
{{- if $temporal.clientCertificate.secretName }}
{{ include "coffer.variable" (dict "name" "COFFER_TEMPORAL_CERT"
  "value" (printf "%s/temporal-tls.crt" $directory)) }}
{{ include "coffer.variable" (dict "name" "COFFER_TEMPORAL_KEY"
  "value" (printf "%s/temporal-tls.key" $directory)) }}
{{- end }}
{{- if $temporal.apiKey.secretName }}
{{ include "coffer.secretVariable" (dict "name" "COFFER_TEMPORAL_API_KEY"
  "from" $temporal.apiKey) }}
{{- end }}
{{- end -}}

{{/* The object store of uploaded files. Takes the root, and the values of the ledger's part. */}}
{{- define "coffer.storageSettings" -}}
{{- $storage := .root.Values.storage -}}
{{- $scaling := .values.autoscaling -}}
{{- $replicas := ternary $scaling.maxReplicas .values.replicas $scaling.enabled }}
{{ include "coffer.variable" (dict "name" "COFFER_REPLICAS" "value" (max 1 $replicas)) }}
{{- if $storage.bucket }}
{{ include "coffer.storeSettings" $storage | trim }}
{{- end }}
{{- end -}}

{{/* The object store, and its bucket of uploaded files if there is one. Takes its values. */}}
{{- define "coffer.storeSettings" -}}
{{- with .bucket }}
{{ include "coffer.variable" (dict "name" "COFFER_STORAGE" "value" "s3") }}
{{ include "coffer.variable" (dict "name" "COFFER_STORAGE_BUCKET" "value" .) }}
{{- end }}
{{ include "coffer.variable" (dict "name" "COFFER_STORAGE_REGION" "value" .region) }}
{{ include "coffer.variable" (dict "name" "COFFER_STORAGE_PATH_STYLE" "value" .pathStyle) }}
{{- with .endpoint }}
{{ include "coffer.variable" (dict "name" "COFFER_STORAGE_ENDPOINT" "value" .) }}
{{- end }}
{{- $credentials := .credentials }}
{{- with $credentials.secretName }}
{{ include "coffer.secretVariable" (dict "name" "AWS_ACCESS_KEY_ID"
  "from" (dict "secretName" . "key" $credentials.idKey)) }}
{{ include "coffer.secretVariable" (dict "name" "AWS_SECRET_ACCESS_KEY"
  "from" (dict "secretName" . "key" $credentials.secretKey)) }}
{{- end }}
{{- end -}}
