import { setTimeout as sleep } from 'node:timers/promises'
import { enableTracing } from '@coffer/kit/service/trace'
import { context, DiagLogLevel, diag, ROOT_CONTEXT, trace } from '@opentelemetry/api'
import { exportMsMax, type OtlpOptions, resourceOf } from './resource.ts'

export interface TracingOptions extends OtlpOptions {
  /** Share of requests that are traced, from 0 to 1. */
  ratio: number
}

/** Maximum time in ms of a stop: the spans that are left then are lost. */
const stopMsMax = 2 * exportMsMax

/**
 * Starts tracing: spans of the share of requests are sent to the OTLP endpoint. Disposing sends the
 * rest, for at most 4 s. With a share of 0 nothing is loaded or changed.
 */
export async function startTracing({
  ratio,
  endpoint,
  version,
  log,
}: TracingOptions): Promise<AsyncDisposable> {
  if (ratio === 0) return { [Symbol.asyncDispose]: async () => undefined }
  const { AsyncLocalStorageContextManager } = await import('@opentelemetry/context-async-hooks')
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-proto')
  const { BatchSpanProcessor, ParentBasedSampler, TracerProvider, TraceIdRatioBasedSampler } =
    await import('@opentelemetry/sdk-trace')
  const failed = failureLog({ log, endpoint })
  const ignore = () => undefined
  const logger = { error: failed, warn: failed, info: ignore, debug: ignore, verbose: ignore }
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true })
  // The ratio also decides on the traces of clients, else each client could have all its requests
  // traced. It depends on the trace ID alone: all processes decide alike.
  const byRatio = new TraceIdRatioBasedSampler(ratio)
  const url = `${endpoint}/v1/traces`
  const exporter = new OTLPTraceExporter({ url, timeoutMillis: exportMsMax })
  const provider = new TracerProvider({
    resource: resourceOf(version),
    sampler: new ParentBasedSampler({ root: byRatio, remoteParentSampled: byRatio }),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  })
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  trace.setGlobalTracerProvider(provider)
  enableTracing(true)
  return {
    [Symbol.asyncDispose]: async () => {
      enableTracing(false)
      // The provider sends the rest batch by batch.
      const sent = provider.shutdown().catch(() => undefined)
      await Promise.race([sent, sleep(stopMsMax, undefined, { ref: false })])
      trace.disable()
      context.disable()
    },
  }
}

const repeatedMs = 60_000
const hint = 'see OTEL_EXPORTER_OTLP_ENDPOINT'

/**
 * Returns the function that logs a failed export, one line a minute: a collector that is away must
 * not fill the log. The line belongs to no request, so it has no trace ID.
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
    context.with(ROOT_CONTEXT, () => {
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
