{{/* One file of a projected volume, from a Secret or a ConfigMap. */}}
{{- define "coffer.file" -}}
{{- if .from.configMapName }}
- configMap:
    name: {{ .from.configMapName }}
    items: [{ key: {{ .from.key | quote }}, path: {{ .path }} }]
{{- else if .from.secretName }}
- secret:
    name: {{ .from.secretName }}
    items: [{ key: {{ .from.key | quote }}, path: {{ .path }} }]
{{- end }}
{{- end -}}

{{/* Files of certificates and credentials of servers, which kubelets renew without a restart. */}}
{{- define "coffer.serverFiles" -}}
{{- $values := .root.Values -}}
{{- $nats := include "coffer.natsOf" . | fromJson -}}
{{- $temporal := include "coffer.temporalOf" . | fromJson -}}
{{- if has "rpc" .servers }}
{{- with $values.rpc.tls.secretName }}
{{- $secret := $values.rpc.tls.perPart | ternary (printf "%s-%s" . $.part) . }}
{{- range list "ca.crt" "tls.crt" "tls.key" }}
{{- include "coffer.file" (dict "path" (printf "rpc-%s" .)
  "from" (dict "secretName" $secret "key" .)) }}
{{- end }}
{{- end }}
{{- end }}
{{- if has "database" .servers }}
{{- include "coffer.file" (dict "from" $values.database.ca "path" "database-ca.crt") }}
{{- end }}
{{- if has "nats" .servers }}
{{- include "coffer.file" (dict "from" $nats.ca "path" "nats-ca.crt") }}
{{- include "coffer.file" (dict "from" $nats.credentials "path" "nats.creds") }}
{{- with $nats.clientCertificate.secretName }}
{{- include "coffer.file" (dict "path" "nats-tls.crt"
  "from" (dict "secretName" . "key" "tls.crt")) }}
{{- include "coffer.file" (dict "path" "nats-tls.key"
  "from" (dict "secretName" . "key" "tls.key")) }}
{{- end }}
{{- end }}
{{- if has "temporal" .servers }}
{{- include "coffer.file" (dict "from" $temporal.ca "path" "temporal-ca.crt") }}
{{- with $temporal.clientCertificate.secretName }}
{{- include "coffer.file" (dict "path" "temporal-tls.crt"
  "from" (dict "secretName" . "key" "tls.crt")) }}
{{- include "coffer.file" (dict "path" "temporal-tls.key"
  "from" (dict "secretName" . "key" "tls.key")) }}
{{- end }}
{{- end }}
{{- end -}}

{{/* The volume of these files. Takes the root and the servers; empty if there is no file. */}}
{{- define "coffer.serverVolume" -}}
{{- with include "coffer.serverFiles" . | trim }}
- name: servers
  projected:
    # With fsGroup, kubelets let the group read what only root could.
    defaultMode: 0400
    sources:
      {{- . | nindent 6 }}
{{- end }}
{{- end -}}

{{- define "coffer.serverMount" -}}
{{- if include "coffer.serverFiles" . | trim }}
- name: servers
  mountPath: /etc/coffer/servers
  readOnly: true
{{- end }}
{{- end -}}

{{/*
The keys of a part: its own signing key, the keys of secrets in the three services that encrypt
some, and the public keys of all parts. Takes the root and the part. Public keys are optional: a
rotation adds and deletes them, and a name without a file must not keep a pod from its start.
*/}}
{{- define "coffer.keysVolume" -}}
{{- $names := include "coffer.calls" .root | fromJson | keys | sortAlpha -}}
{{- $secret := include "coffer.keysSecret" .root -}}
{{- $encrypting := list "all" "identity" "aggregator-sync" "feed-sync" -}}
{{- $public := list -}}
{{- range $names }}
{{- $public = append $public (printf "%s.pub" .) }}
{{- end -}}
- name: keys
  projected:
    defaultMode: 0400
    sources:
      - secret:
          name: {{ $secret }}
          items:
            {{- range $name := $names }}
            {{- if or (eq $.part "all") (eq $.part $name) }}
            - { key: {{ $name }}.key, path: {{ $name }}.key }
            {{- end }}
            {{- end }}
            {{- if has .part $encrypting }}
            {{- range .root.Values.keys.encryption }}
            - { key: {{ . | quote }}, path: {{ . | quote }} }
            {{- end }}
            {{- end }}
      - secret:
          name: {{ $secret }}
          optional: true
          items:
            {{- range concat $public .root.Values.keys.public | uniq }}
            - { key: {{ . | quote }}, path: {{ . | quote }} }
            {{- end }}
{{- end -}}
