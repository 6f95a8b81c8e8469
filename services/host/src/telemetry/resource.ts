import { randomUUID } from 'node:crypto'
import type { Log } from '@coffer/kit/service/log'
import type { Attributes } from '@coffer/kit/telemetry/trace'
import { envDetector } from '@opentelemetry/resources'

export interface OtlpOptions {
  /** Base URL of an OTLP endpoint (protobuf over HTTP), without a trailing slash. */
  endpoint: string
  /** Names of the parts that the process runs: the gateway and services. */
  parts: readonly string[]
  version: string
  log: Log
}

/** Timeout in ms of an export with its retries; a stop waits for the last export. */
export const exportMsMax = 2_000

const instanceId = randomUUID()

/**
 * Returns the resource attributes of this process in exported spans and metrics, by OpenTelemetry's
 * semantic conventions. `OTEL_RESOURCE_ATTRIBUTES` and `OTEL_SERVICE_NAME` override them and add
 * others, such as `deployment.environment.name`.
 */
export function resourceAttributes({
  parts,
  version,
}: Pick<OtlpOptions, 'parts' | 'version'>): Attributes {
  const [only] = parts
  const name = parts.length === 1 ? `coffer-${only}` : 'coffer'
  const given = envDetector.detect().attributes ?? {}
  const own = {
    'service.name': name,
    'service.namespace': 'coffer',
    'service.version': version,
    'service.instance.id': instanceId,
  }
  const texts = Object.entries(given).map(([key, value]) => [key, String(value)])
  return { ...own, ...Object.fromEntries(texts) }
}
