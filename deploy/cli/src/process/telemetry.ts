import { startMetricExport } from '@coffer/host/telemetry/metric-export'
import { startTracing } from '@coffer/host/telemetry/tracing'
import type { Log } from '@coffer/kit/service/log'
import type { Config } from '../settings/environment.ts'
import { version } from '../settings/version.ts'

/** Starts tracing and the export of metrics, if they are enabled. */
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
