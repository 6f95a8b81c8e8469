import { repeat } from '@coffer/kit/service/repeat'
import { collectMetrics } from './meter.ts'
import { exportMsMax, type OtlpOptions, resourceAttributes } from './resource.ts'
import { failureLog } from './tracing.ts'

export interface MetricExportOptions extends OtlpOptions {
  /** Seconds between two exports; 0 exports nothing. */
  seconds: number
}

/**
 * Sends the metrics of the process to the OTLP endpoint until disposed. Disposing sends them a last
 * time, unless the endpoint is away.
 */
export async function startMetricExport({
  seconds,
  endpoint,
  log,
  ...service
}: MetricExportOptions): Promise<AsyncDisposable> {
  if (seconds === 0) return { [Symbol.asyncDispose]: async () => undefined }
  const { OTLPMetricExporter } = await import('@opentelemetry/exporter-metrics-otlp-proto')
  const { resourceFromAttributes } = await import('@opentelemetry/resources')
  const failed = failureLog({ log, endpoint })
  const url = `${endpoint}/v1/metrics`
  const exporter = new OTLPMetricExporter({ url, timeoutMillis: exportMsMax })
  const resource = resourceFromAttributes(resourceAttributes(service))
  let isAway = false
  // Failures are not retried, because counters are totals: the next export includes them.
  const send = async (): Promise<void> => {
    const metrics = await collectMetrics()
    const error = await new Promise<Error | null>((resolve) => {
      exporter.export({ ...metrics, resource }, (result) => resolve(result.error ?? null))
    })
    isAway = error !== null
    if (error) failed(error.message)
  }
  const sending = repeat(send, { everyMs: 1_000 * seconds, isDelayed: true })
  return {
    [Symbol.asyncDispose]: async () => {
      await sending[Symbol.asyncDispose]()
      if (!isAway) await send()
      await exporter.shutdown()
    },
  }
}
