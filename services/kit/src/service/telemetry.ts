import { collectDefaultMetrics, Histogram, Registry } from 'prom-client'

/** Metrics of the process in the Prometheus text format, served on the RPC port. */
export const registry = new Registry()
// Interval in ms at which the event loop's lag is sampled. The default, 10 ms, is most of the
// processor time of an idle process.
const lagSampleMs = 100
collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: lagSampleMs })

export interface DurationsOptions {
  name: string
  help: string
  labelNames: string[]
}

/**
 * Creates a histogram of durations in seconds; returns the function that records a duration with
 * its label values. Caches series by labels, because a look-up costs more than recording.
 */
export function createDurations(
  options: DurationsOptions,
): (seconds: number, ...labels: string[]) => void {
  const buckets = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10]
  const histogram = new Histogram({ ...options, buckets, registers: [registry] })
  const observed = new Map<string, ReturnType<typeof histogram.labels>>()
  return (seconds, ...labels) => {
    const key = labels.join(' ')
    let series = observed.get(key)
    if (!series) {
      series = histogram.labels(...labels)
      observed.set(key, series)
    }
    series.observe(seconds)
  }
}
