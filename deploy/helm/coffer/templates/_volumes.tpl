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
{{- $nats := $values.nats -}}
{{- $temporal := $values.temporal -}}
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
The keys of a part: public keys of all parts, its own signing key, and the keys of secrets in the
three services that encrypt some. Takes the root and the part.
*/}}
{{- define "coffer.keysVolume" -}}
{{- $names := include "coffer.calls" .root | fromJson | keys | sortAlpha -}}
{{- $encrypting := list "all" "identity" "aggregator-sync" "feed-sync" -}}
- name: keys
  projected:
    defaultMode: 0400
    sources:
      - secret:
          name: {{ include "coffer.keysSecret" .root }}
          items:
            {{- range $name := $names }}
            - { key: {{ $name }}.pub, path: {{ $name }}.pub }
            {{- if or (eq $.part "all") (eq $.part $name) }}
            - { key: {{ $name }}.key, path: {{ $name }}.key }
            {{- end }}
            {{- end }}
            {{- range .root.Values.keys.public }}
            - { key: {{ . | quote }}, path: {{ . | quote }} }
            {{- end }}
            {{- if has .part $encrypting }}
            {{- range .root.Values.keys.encryption }}
            - { key: {{ . | quote }}, path: {{ . | quote }} }
            {{- end }}
            {{- end }}
{{- end -}}
