import { randomFillSync } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Attributes,
  bindTracer,
  type NewSpan,
  type RecordedSpan,
  type SpanContext,
  type Tracer,
  withoutSpan,
} from '@coffer/kit/telemetry/trace'
import { DiagLogLevel, diag } from '@opentelemetry/api'
import { exportMsMax, type OtlpOptions, resourceAttributes } from './resource.ts'
import { type EndedSpan, SpanEncoder } from './span-encoding.ts'

export interface TracingOptions extends OtlpOptions {
  /** Sampling ratio of requests, from 0 to 1. */
  ratio: number
}

/** Timeout in ms of a stop; spans that are not exported by then are lost. */
const stopMsMax = 2 * exportMsMax

/**
 * Starts tracing: exports spans of the sampled requests to the OTLP endpoint. Disposing exports the
 * remaining spans, for at most 4 s. A ratio of 0 turns tracing off: no library is loaded.
 */
export async function startTracing(options: TracingOptions): Promise<AsyncDisposable> {
  const { ratio, log, endpoint } = options
  if (ratio === 0) return { [Symbol.asyncDispose]: async () => undefined }
  const failed = failureLog({ log, endpoint })
  const ignore = () => undefined
  const logger = { error: failed, warn: failed, info: ignore, debug: ignore, verbose: ignore }
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true })
  const encoder = new SpanEncoder(resourceAttributes(options), 'coffer')
  const sending = sendBatches(encoder, await createTransport(endpoint), failed)
  bindTracer(createTracer(ratio, { encoder, sending }))
  return {
    [Symbol.asyncDispose]: async () => {
      bindTracer(null)
      await Promise.race([sending.stop(), sleep(stopMsMax, undefined, { ref: false })])
    },
  }
}

type Sending = { added: () => void; stop: () => Promise<void> }
type Target = { encoder: SpanEncoder; sending: Sending }

/** Number of values of the random part (56 bits) of a trace ID. */
const randomEnd = 2 ** 56

/**
 * Creates the tracer. The SDK's own spans, processor and serializer cost six times as much
 * (docs/benchmarks/benchmarks.md#cost-of-traces-and-metrics). Consistent probability sampling of
 * OpenTelemetry: the last 56 bits of the trace ID decide, so all processes decide alike, also for
 * traces that clients begin.
 */
function createTracer(ratio: number, target: Target): Tracer {
  const threshold = (1 - ratio) * randomEnd
  return {
    newTraceId: () => randomHex(16),
    isSampled: (traceId) => Number.parseInt(traceId.slice(18), 16) >= threshold,
    start: (span) => new Span(span, target),
  }
}

// Difference in ms between the system clock and the monotonic clock. Each export reads it again, to
// follow corrections of the system clock; a span keeps its first value, so that it never ends
// before its start.
let offsetMs = Date.now() - performance.now()

class Span implements RecordedSpan, EndedSpan {
  readonly spanId = randomHex(8)
  readonly startMs = offsetMs + performance.now()
  readonly #offsetMs = offsetMs
  readonly name: string
  readonly kind: NewSpan['kind']
  readonly attributes: Attributes
  readonly traceId: string
  readonly parentId: string | null
  readonly link: SpanContext | null
  readonly #target: Target
  more: Attributes | null = null
  failure: string | null = null
  endMs = 0

  constructor(span: NewSpan, target: Target) {
    this.name = span.name
    this.kind = span.kind
    this.attributes = span.attributes
    this.traceId = span.traceId
    this.parentId = span.parentId
    this.link = span.link
    this.#target = target
  }

  fail(type: string): void {
    this.failure = type
  }

  end(more: Attributes | null = null): void {
    const { encoder, sending } = this.#target
    if (encoder.length > bufferedBytesMax) return
    this.more = more
    this.endMs = this.#offsetMs + performance.now()
    encoder.add(this)
    sending.added()
  }
}

const pool = Buffer.alloc(4_096)
let used = pool.length

/**
 * Returns random bytes in hexadecimal, from a pool, since one call of the generator fills many IDs.
 */
function randomHex(bytes: 8 | 16): string {
  if (used + bytes > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += bytes
  return pool.toString('hex', used - bytes, used)
}

/**
 * Size in bytes from which a batch is sent at once, and maximum size of the buffer, above which
 * spans are dropped.
 */
const batchBytes = 256 * 1024
const bufferedBytesMax = 2 * 1024 * 1024
/** Maximum delay in ms before a span is exported: a standard variable, which tests shorten. */
const delayMs = Number(process.env.OTEL_BSP_SCHEDULE_DELAY ?? 5_000)

/** Exports the spans of an encoder, one batch at a time. */
function sendBatches(
  encoder: SpanEncoder,
  send: (request: Uint8Array) => Promise<void>,
  failed: (reason: string) => void,
): Sending {
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | null = null
  const flush = (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    offsetMs = Date.now() - performance.now()
    running ??= withoutSpan(() => sendAll()).finally(() => {
      running = null
      if (encoder.length > 0) added()
    })
    return running
  }
  const sendAll = async () => {
    if (encoder.length > bufferedBytesMax) failed('spans are dropped: more than the endpoint takes')
    if (encoder.length > 0) await send(encoder.take()).catch((error) => failed(error.message))
  }
  const added = () => {
    if (encoder.length >= batchBytes && running === null) void flush()
    else timer ??= setTimeout(() => void flush(), delayMs).unref()
  }
  return {
    added,
    stop: async () => {
      await running
      await flush()
      clearTimeout(timer)
    },
  }
}

/**
 * Returns a function that sends a request, with retries if the endpoint asks for them. The
 * library's transport reads the standard variables, such as `OTEL_EXPORTER_OTLP_HEADERS`.
 */
async function createTransport(endpoint: string): Promise<(request: Uint8Array) => Promise<void>> {
  const { convertLegacyHttpOptions, createOtlpHttpExportDelegate } = await import(
    '@opentelemetry/otlp-exporter-base/node-http'
  )
  const config = { url: `${endpoint}/v1/traces`, timeoutMillis: exportMsMax }
  const headers = { 'Content-Type': 'application/x-protobuf' }
  const serializer = {
    serializeRequest: (request: Uint8Array) => request,
    deserializeResponse: () => ({}),
  }
  const delegate = createOtlpHttpExportDelegate(
    convertLegacyHttpOptions(config, 'TRACES', 'v1/traces', headers),
    serializer,
    'otlp_http_span_exporter',
    { name: 'span', countItems: () => 0 },
    undefined,
  )
  return (request) => {
    return new Promise((resolve, reject) => {
      delegate.export(request, ({ error }) => (error ? reject(error) : resolve()))
    })
  }
}

const repeatedMs = 60_000
const hint = 'see OTEL_EXPORTER_OTLP_ENDPOINT'

/**
 * Returns the function that logs failed exports, at most one line a minute, so that an outage of
 * the collector does not fill the log. The line has no trace ID, because it belongs to no request.
 */
export function failureLog({
  log,
  endpoint,
}: Pick<OtlpOptions, 'log' | 'endpoint'>): (reason: string) => void {
  let loggedAt = Number.NEGATIVE_INFINITY
  const { host } = new URL(endpoint)
  return (reason) => {
    if (performance.now() - loggedAt < repeatedMs) return
    loggedAt = performance.now()
    withoutSpan(() => {
      log.warn({ reason: messageIn(reason) }, `telemetry could not be exported to ${host}: ${hint}`)
    })
  }
}

/** Returns the message of an error that OpenTelemetry formats as JSON; other text as it is. */
function messageIn(reason: string): string {
  try {
    const { message } = JSON.parse(reason) as { message?: unknown }
    return typeof message === 'string' ? message : reason
  } catch {
    return reason
  }
}
