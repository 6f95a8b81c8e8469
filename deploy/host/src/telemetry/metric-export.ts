import { setInterval } from 'node:timers/promises'
import { collectMetrics } from './meter.ts'
import { type OtlpOptions, resourceOf } from './resource.ts'
import { logFailures } from './tracing.ts'

export interface MetricExportOptions extends OtlpOptions {
  /** Seconds between two exports; 0 exports nothing. */
  seconds: number
}

/** Sends the metrics of the process to the OTLP endpoint until disposed, which sends them again. */
export async function startMetricExport({
  seconds,
  endpoint,
  version,
  log,
}: MetricExportOptions): Promise<AsyncDisposable> {
  if (seconds === 0) return { [Symbol.asyncDispose]: async () => undefined }
  const { OTLPMetricExporter } = await import('@opentelemetry/exporter-metrics-otlp-proto')
  logFailures(log)
  const exporter = new OTLPMetricExporter({ url: `${endpoint}/v1/metrics` })
  const resource = resourceOf(version)
  const send = async (): Promise<void> => {
    const metrics = await collectMetrics()
    await new Promise<void>((resolve) => {
      // A failure is logged by the exporter; the next export has the same totals.
      exporter.export({ ...metrics, resource }, () => resolve())
    })
  }
  const stopping = new AbortController()
  const run = async (): Promise<void> => {
    const { signal } = stopping
    try {
      for await (const _ of setInterval(1_000 * seconds, undefined, { signal, ref: false })) {
        await send()
      }
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }
  const running = run()
  return {
    [Symbol.asyncDispose]: async () => {
      stopping.abort()
      await running
      await send()
      await exporter.shutdown()
    },
  }
}
