import { randomUUID } from 'node:crypto'
import type { Log } from '@coffer/kit/service/log'
import { type Resource, resourceFromAttributes } from '@opentelemetry/resources'

export interface OtlpOptions {
  /** Base URL of an OTLP endpoint that takes protobuf over HTTP, without a trailing slash. */
  endpoint: string
  version: string
  log: Log
}

/** Time in ms after which an export fails, with its repetitions: a stop waits for the last one. */
export const exportMsMax = 2_000

const instanceId = randomUUID()

/** Returns the attributes of this process in exported spans and metrics. */
export function resourceOf(version: string): Resource {
  return resourceFromAttributes({
    'service.name': 'coffer',
    'service.version': version,
    'service.instance.id': instanceId,
  })
}
