{{- define "coffer.backupAccount" -}}
{{- $values := .Values.backup.serviceAccount -}}
{{- $own := printf "%s-backup" (include "coffer.fullname" .) -}}
{{- $values.name | default ($values.create | ternary $own "default") -}}
{{- end -}}

{{/*
The databases of a command that reads all tables: by the URL in its values, else as the owner. Takes
the root, the values of the command and the names of the services.
*/}}
{{- define "coffer.readerSettings" -}}
{{- if .values.databaseUrl.secretName }}
{{ include "coffer.secretVariable" (dict "name" "COFFER_DATABASE_URL"
  "from" .values.databaseUrl) }}
{{ include "coffer.databaseCa" .root | trim }}
{{- else }}
{{ include "coffer.directSettings" .root | trim }}
{{ include "coffer.databaseSettings" (dict "root" .root "services" .services) | trim }}
{{- end }}
{{- end -}}

{{/*
The settings of the operator's commands, as JSON: those of identity, by which `replay` states its
accounts; of its Secrets, those of the key service alone.
*/}}
{{- define "coffer.operatorSettings" -}}
{{- $parts := include "coffer.parts" . | fromJsonArray -}}
{{- $part := has "identity" $parts | ternary "identity" "all" -}}
{{- $own := include "coffer.partValues" (dict "root" . "part" $part) | fromJson -}}
{{- $secrets := dict -}}
{{- range $name, $from := merge (dict) $own.secretSettings .Values.secretSettings -}}
{{- if regexMatch "^COFFER_(KEY_SERVICE|KMS_|VAULT_)" $name -}}
{{- $_ := set $secrets $name $from -}}
{{- end -}}
{{- end -}}
{{- dict "settings" (merge (dict) $own.settings .Values.settings) "secretSettings" $secrets
  | toJson -}}
{{- end -}}

{{/*
The pod of a command (backup, audit or operator) but its metadata. Takes the root, the part and
further words of the command.
*/}}
{{- define "coffer.commandPod" -}}
{{- $root := .root -}}
{{- $part := .part -}}
{{- $values := index $root.Values $part -}}
{{- $isOperator := eq $part "operator" -}}
{{- $servers := $isOperator | ternary (list "database" "nats") (list "database") -}}
{{- $context := dict "root" $root "part" $part "values" dict "servers" $servers -}}
{{- $services := without (include "coffer.calls" $root | fromJson | keys | sortAlpha) "gateway" -}}
{{- $withKeys := or $isOperator (and (eq $part "backup") $values.withKeys) -}}
{{ include "coffer.jobPod" $root | trim }}
{{- if eq $part "backup" }}
serviceAccountName: {{ include "coffer.backupAccount" $root }}
{{- else if $isOperator }}
serviceAccountName: {{ include "coffer.serviceAccount" $root }}
{{- end }}
{{- with include "coffer.jobInitContainers" $root }}
initContainers:
  {{- . | nindent 2 }}
{{- end }}
containers:
  - name: {{ $part }}
    {{- include "coffer.container" $root | nindent 4 }}
    args:
      - {{ $isOperator | ternary "audit" $part }}
      {{- if eq $part "backup" }}
      - --to={{ $values.to }}
      {{- range $values.recipients }}
      - --recipient={{ . }}
      {{- end }}
      {{- if $withKeys }}
      - --with-keys
      {{- end }}
      {{- end }}
      {{- range .more }}
      - {{ . }}
      {{- end }}
    env:
      {{- include "coffer.commonSettings" ($isOperator
        | ternary (include "coffer.operatorSettings" $root | fromJson)
          (dict "settings" $root.Values.settings "secretSettings" dict)
        | merge (dict "root" $root)) | trim | nindent 6 }}
      {{- include "coffer.readerSettings" (dict "root" $root "values" $values
        "services" $services) | trim | nindent 6 }}
      {{- if ne $part "audit" }}
      {{- $credentials := $values.credentials }}
      {{- if and $isOperator (not $credentials.secretName) }}
      {{- $credentials = $root.Values.storage.credentials }}
      {{- end }}
      {{- include "coffer.storeSettings" (mergeOverwrite (deepCopy $root.Values.storage)
        (dict "credentials" $credentials)) | trim | nindent 6 }}
      {{- end }}
      {{- if $isOperator }}
      {{- include "coffer.natsSettings" $context | trim | nindent 6 }}
      {{- end }}
      {{- with $root.Values.jobs.extraEnv }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
    resources:
      {{- toYaml $values.resources | nindent 6 }}
    volumeMounts:
      {{- include "coffer.writableMounts" $root | nindent 6 }}
      {{- include "coffer.serverMount" $context | trim | nindent 6 }}
      {{- if $withKeys }}
      - { name: all-keys, mountPath: /etc/coffer/keys, readOnly: true }
      {{- end }}
      {{- with concat $root.Values.extraVolumeMounts $root.Values.jobs.extraVolumeMounts }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
volumes:
  {{- include "coffer.writableVolumes" $root | nindent 2 }}
  {{- include "coffer.serverVolume" $context | trim | nindent 2 }}
  {{- if $withKeys }}
  - name: all-keys
    secret: { secretName: {{ include "coffer.keysSecret" $root }}, defaultMode: 0400 }
  {{- end }}
  {{- with concat $root.Values.extraVolumes $root.Values.jobs.extraVolumes }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}
