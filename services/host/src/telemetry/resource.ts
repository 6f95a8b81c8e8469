import { randomUUID } from 'node:crypto'
import type { Log } from '@coffer/kit/service/log'
import type { Attributes } from '@coffer/kit/telemetry/trace'
import { envDetector } from '@opentelemetry/resources'

export interface OtlpOptions {
  /** Base URL of an OTLP endpoint that takes protobuf over HTTP, without a trailing slash. */
  endpoint: string
  /** Names of the parts that the process runs: the gateway and services. */
  parts: readonly string[]
  version: string
  log: Log
}

/** Time in ms after which an export fails, with its repetitions: a stop waits for the last one. */
export const exportMsMax = 2_000

const instanceId = randomUUID()

/**
 * Returns the attributes of this process in exported spans and metrics, as OpenTelemetry's
 * conventions for services name them. `OTEL_RESOURCE_ATTRIBUTES` and `OTEL_SERVICE_NAME` change
 * them and add others, such as `deployment.environment.name`.
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
