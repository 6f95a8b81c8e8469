/** Definition of a metric, in base units: seconds, bytes. */
export interface MetricOptions {
  /** Name in the Prometheus text format; names of counters end in `_total`. */
  name: string
  help: string
  labelNames?: readonly string[]
}

export interface HistogramOptions extends MetricOptions {
  /** Upper bounds of the buckets, ascending; by default bounds for durations in seconds. */
  buckets?: readonly number[]
}

/**
 * Adds to a counter, sets a gauge, or records a value of a histogram. Labels are the values of
 * `labelNames`, in that order.
 */
export type Recorder = (value: number, ...labels: string[]) => void

/**
 * Makes a gauge call `read` whenever metrics are collected, until disposed; null means no value. Of
 * several watches with the same labels, the last one is read. If a read fails or takes longer than
 * a second, the last value is repeated.
 */
export type Watcher = (
  read: () => number | null | Promise<number | null>,
  ...labels: string[]
) => Disposable

/** Creates the metrics of a process; the host implements it with the SDK of OpenTelemetry. */
export interface Meter {
  counter: (options: MetricOptions) => Recorder
  gauge: (options: MetricOptions) => Recorder
  histogram: (options: HistogramOptions & { buckets: readonly number[] }) => Recorder
  watched: (options: MetricOptions) => Watcher
}

const durations = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10]

let meter: Meter | null = null
const waiting: ((meter: Meter) => void)[] = []

/** Passes the meter to all metrics of modules, including metrics that are already defined. */
export function bindMeter(bound: Meter): void {
  meter = bound
  for (const define of waiting.splice(0)) define(bound)
}

/**
 * Deferred: modules define metrics when they are imported, possibly before the host has a meter.
 */
function whenBound(define: (meter: Meter) => void): void {
  if (meter) define(meter)
  else waiting.push(define)
}

function createRecorder(create: (meter: Meter) => Recorder): Recorder {
  let record: Recorder | undefined
  whenBound((bound) => {
    record = create(bound)
  })
  return (value, ...labels) => record?.(value, ...labels)
}

/** Creates a counter. Recording 0 exports the series before its first event. */
export function createCounter(options: MetricOptions): Recorder {
  return createRecorder((bound) => bound.counter(options))
}

/** Creates a gauge, which keeps the value that was set last. */
export function createGauge(options: MetricOptions): Recorder {
  return createRecorder((bound) => bound.gauge(options))
}

/** Creates a histogram; without `buckets`, of durations in seconds. */
export function createHistogram(options: HistogramOptions): Recorder {
  return createRecorder((bound) => bound.histogram({ buckets: durations, ...options }))
}

/** Creates a gauge that is read whenever metrics are collected. */
export function createWatchedGauge(options: MetricOptions): Watcher {
  let watch: Watcher | undefined
  whenBound((bound) => {
    watch = bound.watched(options)
  })
  return (read, ...labels) => watch?.(read, ...labels) ?? { [Symbol.dispose]: () => undefined }
}
