{{/*
Security of all pods, as the restricted Pod Security Standard demands. No variables of Services:
Coffer's settings have the prefix that they have for a Service named "coffer".
*/}}
{{- define "coffer.podSecurity" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  {{- range $name, $id := .Values.podSecurity }}
  {{- if kindIs "invalid" $id | not }}
  {{ $name }}: {{ int64 $id }}
  {{- end }}
  {{- end }}
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

{{/* Where pods may be placed. Takes the values of a part or of the jobs. */}}
{{- define "coffer.placement" -}}
{{- with .priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
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

{{/* The port of /metrics and the probes. */}}
{{- define "coffer.metricsPortName" -}}
{{- .Values.metricsPort | empty | ternary "rpc" "metrics" -}}
{{- end -}}

{{/*
Probes on the port of metrics, which needs no certificate. A process that waits for another server
is alive: only /healthz ends it, so the startup probe asks that too. Readiness takes a replica out
of its Services within 3 s.
*/}}
{{- define "coffer.probes" -}}
startupProbe:
  httpGet: { path: /healthz, port: {{ include "coffer.metricsPortName" .root }} }
  periodSeconds: 2
  failureThreshold: 60
  timeoutSeconds: 2
readinessProbe:
  httpGet: { path: /readyz, port: {{ include "coffer.metricsPortName" .root }} }
  periodSeconds: 1
  failureThreshold: 2
  timeoutSeconds: 1
livenessProbe:
  httpGet: { path: /healthz, port: {{ include "coffer.metricsPortName" .root }} }
  periodSeconds: 10
  failureThreshold: 6
  timeoutSeconds: 5
{{- end -}}

{{/*
Spreads the replicas of one revision over zones and nodes, unless the values of the part do. Takes
the root, the part and its values.
*/}}
{{- define "coffer.spread" -}}
topologySpreadConstraints:
  {{- range .values.topologySpreadConstraints }}
  {{- if not .labelSelector }}
  {{- $selector := include "coffer.selector" $ | fromYaml }}
  {{- $_ := set . "labelSelector" (dict "matchLabels" $selector) }}
  {{- end }}
  - {{- toYaml . | nindent 4 }}
  {{- else }}
  {{- range $key := list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
  - maxSkew: 1
    topologyKey: {{ $key }}
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "coffer.selector" $ | nindent 8 }}
    matchLabelKeys: [pod-template-hash]
  {{- end }}
  {{- end }}
{{- if not .values.affinity }}
affinity:
  podAntiAffinity:
    preferredDuringSchedulingIgnoredDuringExecution:
      - weight: 100
        podAffinityTerm:
          topologyKey: kubernetes.io/hostname
          labelSelector:
            matchLabels:
              {{- include "coffer.selector" $ | nindent 14 }}
{{- end }}
{{- end -}}

{{/*
The variables of a part, with those of other kinds. Refuses a name that two values set, of which a
container would take the last one. Takes the root, the part and its values.
*/}}
{{- define "coffer.partVariables" -}}
{{- $text := include "coffer.environment" . | trim -}}
{{- $names := list -}}
{{- range concat (fromYamlArray $text) .values.extraEnv -}}
{{- if has .name $names -}}
{{- fail (printf "parts.%s: %s is set by two values" $.part .name) -}}
{{- end -}}
{{- $names = append $names .name -}}
{{- end -}}
{{ $text }}
{{- with .values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* The Secrets that the pods of a part read as variables, by name. Takes what partPod does. */}}
{{- define "coffer.variableSecrets" -}}
{{- $names := list -}}
{{- range include "coffer.partVariables" . | fromYamlArray -}}
{{- with ((.valueFrom | default dict).secretKeyRef | default dict).name -}}
{{- $names = append $names . -}}
{{- end -}}
{{- end -}}
{{- $names | uniq | sortAlpha | join "," -}}
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
    {{- include "coffer.partVariables" . | trim | nindent 4 }}
  ports:
    {{- if eq .part (include "coffer.gatewayPart" .root) }}
    - { name: http, containerPort: 4000 }
    {{- end }}
    - { name: rpc, containerPort: 4001 }
    - { name: grpc, containerPort: 4002 }
    {{- with .root.Values.metricsPort }}
    - { name: metrics, containerPort: {{ . }} }
    {{- end }}
  {{- include "coffer.probes" . | nindent 2 }}
  resources:
    {{- toYaml .values.resources | nindent 4 }}
  volumeMounts:
    {{- include "coffer.writableMounts" . | nindent 4 }}
    - name: keys
      mountPath: /etc/coffer/keys
      readOnly: true
    {{- include "coffer.serverMount" . | trim | nindent 4 }}
    {{- with concat .root.Values.extraVolumeMounts .values.extraVolumeMounts }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end -}}

{{/* The pod of a part, without labels. Takes the root, the part and its values. */}}
{{- define "coffer.partPod" -}}
{{- $gatewayOnly := eq .part "gateway" -}}
{{- $servers := $gatewayOnly | ternary (list "rpc" "nats")
  (list "rpc" "database" "nats" "temporal") -}}
{{- $context := merge (dict "servers" $servers) . -}}
{{- include "coffer.podSecurity" .root }}
serviceAccountName: {{ include "coffer.serviceAccount" .root }}
terminationGracePeriodSeconds: {{ include "coffer.graceSeconds" .root }}
{{- with include "coffer.placement" .values | trim }}
{{ . }}
{{- end }}
{{ include "coffer.spread" . }}
{{- with .values.initContainers }}
initContainers:
  {{- toYaml . | nindent 2 }}
{{- end }}
containers:
  {{- include "coffer.partContainer" $context | nindent 2 }}
  {{- with .values.extraContainers }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
volumes:
  {{- include "coffer.writableVolumes" . | nindent 2 }}
  {{- include "coffer.keysVolume" . | nindent 2 }}
  {{- include "coffer.serverVolume" $context | trim | nindent 2 }}
  {{- with concat .root.Values.extraVolumes .values.extraVolumes }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}
