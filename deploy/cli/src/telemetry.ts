import { startMetricExport } from '@coffer/host/telemetry/metric-export'
import { startTracing } from '@coffer/host/telemetry/tracing'
import { SettingsError } from '@coffer/kit/service/config'
import type { Log } from '@coffer/kit/service/log'
import type { Config } from './environment.ts'
import { version } from './version.ts'

/** Throws SettingsError when traces or metrics are to be exported, and no endpoint is set. */
export function requireEndpoint({ traceRatio, otlpMetricsSeconds, otlpEndpoint }: Config): void {
  if (otlpEndpoint === undefined && (traceRatio > 0 || otlpMetricsSeconds > 0)) {
    const asking = traceRatio > 0 ? 'COFFER_TRACE_RATIO' : 'COFFER_OTLP_METRICS_SECONDS'
    throw new SettingsError(`${asking}: needs OTEL_EXPORTER_OTLP_ENDPOINT`)
  }
}

/** Starts tracing and the export of metrics, if settings ask for them. */
export async function startTelemetry(
  parts: readonly string[],
  { traceRatio, otlpMetricsSeconds, otlpEndpoint }: Config,
  log: Log,
): Promise<AsyncDisposable> {
  const options = { endpoint: otlpEndpoint ?? '', parts, version, log }
  await using opening = new AsyncDisposableStack()
  opening.use(await startTracing({ ...options, ratio: traceRatio }))
  opening.use(await startMetricExport({ ...options, seconds: otlpMetricsSeconds }))
  return opening.move()
}
