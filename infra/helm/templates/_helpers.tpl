{{/* Name of a service's objects: release and service. Takes {root, name}. */}}
{{- define "cer.name" -}}
{{ printf "%s-%s" .root.Release.Name .name | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "cer.selector" -}}
app.kubernetes.io/name: execution-certification
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .name }}
{{- end }}

{{- define "cer.labels" -}}
{{ include "cer.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end }}

{{- define "cer.image" -}}
{{ .root.Values.image.registry }}/execution-certification-{{ .name }}:{{ .root.Values.image.tag | default .root.Chart.AppVersion }}
{{- end }}

{{- define "cer.port" -}}
{{ get (dict "node" 4100 "renderer" 4110 "verifier" 4200 "bridge" 4300 "dashboard" 4400) .name }}
{{- end }}

{{/* Address of a service inside the cluster. */}}
{{- define "cer.url" -}}
http://{{ include "cer.name" . }}:{{ include "cer.port" . }}
{{- end }}

{{- define "cer.container.security" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{- define "cer.pod.security" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
{{- end }}

{{/* Variables of a service, as a YAML map; the values' env replaces them. */}}
{{- define "cer.variables" -}}
{{- $values := .root.Values -}}
{{- $https := dict -}}
{{- range $name, $host := $values.hosts }}{{ $_ := set $https $name (printf "https://%s" $host) }}{{ end -}}
{{- $own := dict "TRUST_PROXY" $values.trustProxy "LOG_LEVEL" $values.logLevel -}}
{{- $tokens := "/run/secrets/tokens" -}}
{{- $databaseUrl := printf "/run/secrets/databases/%s-database-url" .name -}}
{{- if $values.databaseCaSecret }}{{ $_ := set $own "NODE_EXTRA_CA_CERTS" "/run/secrets/database-ca/ca.pem" }}{{ end -}}
{{- if eq .name "node" -}}
{{- $own = merge $own (dict "DATABASE_URL_FILE" $databaseUrl "KEYS_FILE" "/run/secrets/keys/keys.json" "COMMITMENT_SECRET_FILE" "/run/secrets/keys/commitment-secrets.json" "RESTORE_MARK_FILE" "/var/lib/cer-mark/restore.mark" "ADMIN_SECRET_FILE" (printf "%s/admin-secret" $tokens) "VERIFY_URL" $https.verifier) -}}
{{- if $values.services.dashboard.enabled -}}
{{- $own = merge $own (dict "CONTROL_PLANE_URL" (include "cer.url" (dict "root" .root "name" "dashboard")) "CONTROL_PLANE_TOKEN_FILE" (printf "%s/service-token" $tokens)) -}}
{{- end -}}
{{- if $values.services.renderer.enabled -}}
{{- $own = merge $own (dict "RENDERER_URL" (include "cer.url" (dict "root" .root "name" "renderer")) "RENDERER_TOKEN_FILE" (printf "%s/renderer-token" $tokens)) -}}
{{- end -}}
{{- else if eq .name "renderer" -}}
{{- $own = merge $own (dict "RENDERER_TOKEN_FILE" (printf "%s/renderer-token" $tokens)) -}}
{{- $_ := unset $own "TRUST_PROXY" -}}
{{- else if eq .name "verifier" -}}
{{- $own = merge $own (dict "NODE_URL" (include "cer.url" (dict "root" .root "name" "node")) "PUBLIC_NODE_URL" $https.node "PUBLIC_URL" $https.verifier) -}}
{{- else if eq .name "bridge" -}}
{{- $own = merge $own (dict "DATABASE_URL_FILE" $databaseUrl "PUBLIC_URL" $https.bridge "NODE_URL" (include "cer.url" (dict "root" .root "name" "node")) "VERIFY_URL" $https.verifier "CONTROL_PLANE_URL" (include "cer.url" (dict "root" .root "name" "dashboard")) "PUBLIC_CONTROL_PLANE_URL" $https.dashboard "CONTROL_PLANE_TOKEN_FILE" (printf "%s/service-token" $tokens)) -}}
{{- else if eq .name "dashboard" -}}
{{- $own = merge $own (dict "DATABASE_URL_FILE" $databaseUrl "PUBLIC_URL" $https.dashboard "NODE_URL" $https.node "SERVICE_TOKEN_FILE" (printf "%s/service-token" $tokens) "JWKS_KEYS_FILE" "/run/secrets/keys/jwks.json") -}}
{{- if $values.services.bridge.enabled }}{{ $_ := set $own "BRIDGE_URL" $https.bridge }}{{ end -}}
{{- end -}}
{{- toYaml (merge (deepCopy (get $values.services .name).env) $own) -}}
{{- end }}

{{/* The secrets of a service, as a YAML list of {name, secret}; only what it needs. */}}
{{- define "cer.secrets" -}}
{{- $existing := .root.Values.existingSecrets -}}
{{- $items := list -}}
{{- $tokens := dict "node" (list "admin-secret" "service-token" "renderer-token") "renderer" (list "renderer-token") "bridge" (list "service-token") "dashboard" (list "service-token") -}}
{{- if hasKey $tokens .name }}{{ $items = append $items (dict "name" "tokens" "secret" $existing.tokens "keys" (get $tokens .name)) }}{{ end -}}
{{- if has .name (list "node" "bridge" "dashboard") }}{{ $items = append $items (dict "name" "databases" "secret" $existing.databases "keys" (list (printf "%s-database-url" .name))) }}{{ end -}}
{{- if eq .name "node" }}{{ $items = append $items (dict "name" "keys" "secret" $existing.nodeKeys "keys" (list "keys.json" "commitment-secrets.json")) }}{{ end -}}
{{- if eq .name "dashboard" }}{{ $items = append $items (dict "name" "keys" "secret" $existing.handoffKeys "keys" (list "jwks.json")) }}{{ end -}}
{{- if and .root.Values.databaseCaSecret (has .name (list "node" "bridge" "dashboard")) }}{{ $items = append $items (dict "name" "database-ca" "secret" .root.Values.databaseCaSecret "keys" (list "ca.pem")) }}{{ end -}}
{{- toYaml $items -}}
{{- end }}

{{- define "cer.volumes" -}}
- name: tmp
  emptyDir: {}
{{- if eq .name "node" }}
- name: restore-mark
  {{- with .root.Values.restoreMark.existingClaim }}
  persistentVolumeClaim: { claimName: {{ . }} }
  {{- else }}
  emptyDir: {}
  {{- end }}
{{- end }}
{{- range include "cer.secrets" . | fromYamlArray }}
- name: {{ .name }}
  secret:
    secretName: {{ .secret }}
    # The service is the only user of its group; other modes are refused.
    defaultMode: 0440
    items:
      {{- range .keys }}
      - { key: {{ . }}, path: {{ . }} }
      {{- end }}
{{- end }}
{{- range (get .root.Values.services .name).files }}
- name: {{ include "cer.files.name" . }}
  {{- if .secret }}
  secret: { secretName: {{ .secret }}, defaultMode: 0440 }
  {{- else }}
  configMap: { name: {{ .configMap }} }
  {{- end }}
{{- end }}
{{- end }}

{{/* Name of the volume of an entry of `files`. */}}
{{- define "cer.files.name" -}}
{{ printf "files-%s" (.secret | default .configMap) | replace "." "-" | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "cer.mounts" -}}
- { name: tmp, mountPath: /tmp }
{{- if eq .name "node" }}
- { name: restore-mark, mountPath: /var/lib/cer-mark }
{{- end }}
{{- range include "cer.secrets" . | fromYamlArray }}
- { name: {{ .name }}, mountPath: /run/secrets/{{ .name }}, readOnly: true }
{{- end }}
{{- range (get .root.Values.services .name).files }}
- { name: {{ include "cer.files.name" . }}, mountPath: /run/files/{{ .secret | default .configMap }}, readOnly: true }
{{- end }}
{{- end }}

{{- define "cer.env" -}}
{{- range $name, $value := include "cer.variables" . | fromYaml }}
- name: {{ $name }}
  {{- /* As text, a number of a million and more would be written with an exponent. */}}
  value: {{ kindIs "string" $value | ternary $value (toJson $value) | quote }}
{{- end }}
{{- end }}
