{{/*
Security of all pods, as the restricted Pod Security Standard demands. No variables of Services:
Coffer's settings have the prefix that they have for a Service named "coffer".
*/}}
{{- define "coffer.podSecurity" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: { type: RuntimeDefault }
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "coffer.container" -}}
image: {{ include "coffer.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end -}}

{{/* The folders that a process may write. */}}
{{- define "coffer.writableMounts" -}}
- name: tmp
  mountPath: /tmp
- name: data
  mountPath: /data
{{- end -}}

{{- define "coffer.writableVolumes" -}}
- name: tmp
  emptyDir: { sizeLimit: 256Mi }
- name: data
  emptyDir: { sizeLimit: 1Gi }
{{- end -}}

{{/*
Probes on the RPC port. A process that waits for another server is alive: only /healthz ends it, so
the startup probe asks that too. Readiness takes a replica out of its Services within 3 s.
*/}}
{{- define "coffer.probes" -}}
startupProbe:
  httpGet: { path: /healthz, port: rpc }
  periodSeconds: 2
  failureThreshold: 60
  timeoutSeconds: 2
readinessProbe:
  httpGet: { path: /readyz, port: rpc }
  periodSeconds: 1
  failureThreshold: 2
  timeoutSeconds: 1
livenessProbe:
  httpGet: { path: /healthz, port: rpc }
  periodSeconds: 10
  failureThreshold: 6
  timeoutSeconds: 5
{{- end -}}

{{/* Spreads the replicas of one revision over zones and nodes. */}}
{{- define "coffer.spread" -}}
topologySpreadConstraints:
  {{- range $key := list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
  - maxSkew: 1
    topologyKey: {{ $key }}
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "coffer.selector" $ | nindent 8 }}
    matchLabelKeys: [pod-template-hash]
  {{- end }}
affinity:
  podAntiAffinity:
    preferredDuringSchedulingIgnoredDuringExecution:
      - weight: 100
        podAffinityTerm:
          topologyKey: kubernetes.io/hostname
          labelSelector:
            matchLabels:
              {{- include "coffer.selector" $ | nindent 14 }}
{{- end -}}

{{/* The container of a part. Takes the root, the part, its values and its servers. */}}
{{- define "coffer.partContainer" -}}
{{- $image := deepCopy .root.Values.image -}}
{{- with .values.image }}
{{- $image = mergeOverwrite $image (dict "digest" "") . }}
{{- end -}}
- name: coffer
  {{- include "coffer.container" (dict "Values" (dict "image" $image) "Chart" .root.Chart)
    | nindent 2 }}
  args:
    - serve
    {{- if ne .part "all" }}
    - {{ .part }}
    {{- end }}
  env:
    {{- include "coffer.environment" . | trim | nindent 4 }}
  ports:
    {{- if eq .part (include "coffer.gatewayPart" .root) }}
    - { name: http, containerPort: 4000 }
    {{- end }}
    - { name: rpc, containerPort: 4001 }
    - { name: grpc, containerPort: 4002 }
  {{- include "coffer.probes" . | nindent 2 }}
  resources:
    {{- toYaml .values.resources | nindent 4 }}
  volumeMounts:
    {{- include "coffer.writableMounts" . | nindent 4 }}
    - name: keys
      mountPath: /etc/coffer/keys
      readOnly: true
    {{- include "coffer.serverMount" . | trim | nindent 4 }}
    {{- with .root.Values.extraVolumeMounts }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end -}}

{{/* The pod of a part, without labels. Takes the root, the part and its values. */}}
{{- define "coffer.partPod" -}}
{{- $gatewayOnly := eq .part "gateway" -}}
{{- $servers := $gatewayOnly | ternary (list "nats") (list "database" "nats" "temporal") -}}
{{- $context := merge (dict "servers" $servers) . -}}
{{- include "coffer.podSecurity" .root }}
serviceAccountName: {{ include "coffer.serviceAccount" .root }}
terminationGracePeriodSeconds: {{ include "coffer.graceSeconds" .root }}
{{- with .values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{ include "coffer.spread" . }}
containers:
  {{- include "coffer.partContainer" $context | nindent 2 }}
volumes:
  {{- include "coffer.writableVolumes" . | nindent 2 }}
  {{- include "coffer.keysVolume" . | nindent 2 }}
  {{- include "coffer.serverVolume" $context | trim | nindent 2 }}
  {{- with .root.Values.extraVolumes }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}
