import { setTimeout as sleep } from 'node:timers/promises'
import {
  bindMeter,
  type Meter,
  type MetricOptions,
  type Recorder,
  type Watcher,
} from '@coffer/kit/telemetry/meter'
import type { Attributes } from '@opentelemetry/api'
import { PrometheusSerializer } from '@opentelemetry/exporter-prometheus'
import { MeterProvider, MetricReader, type ResourceMetrics } from '@opentelemetry/sdk-metrics'

/** Pull reader: collects metrics on demand, for a scrape of `/metrics` or the export over OTLP. */
class OnDemandReader extends MetricReader {
  protected async onShutdown(): Promise<void> {}
  protected async onForceFlush(): Promise<void> {}
}

/**
 * Timeout in ms of reading a watched gauge, so that an unresponsive server does not fail a scrape.
 */
const readMsMax = 1_000

const reader = new OnDemandReader()
const otel = new MeterProvider({ readers: [reader] }).getMeter('coffer')
const definitions = new Map<string, MetricOptions & { type: string }>()

function define(type: string, options: MetricOptions): { description: string } {
  definitions.set(options.name, { ...options, type })
  return { description: options.help }
}

const meter: Meter = {
  counter: (options) => {
    const counter = otel.createCounter(options.name, define('counter', options))
    if (!options.labelNames?.length) counter.add(0)
    return labelled(options, (value, attributes) => counter.add(value, attributes))
  },
  gauge: (options) => {
    const gauge = otel.createGauge(options.name, define('gauge', options))
    return labelled(options, (value, attributes) => gauge.record(value, attributes))
  },
  histogram: (options) => {
    const { description } = define('histogram', options)
    const advice = { explicitBucketBoundaries: [...options.buckets] }
    const histogram = otel.createHistogram(options.name, { description, advice })
    return labelled(options, (value, attributes) => histogram.record(value, attributes))
  },
  watched: (options) => {
    const gauge = otel.createObservableGauge(options.name, define('gauge', options))
    const { watch, readAll } = watchers(options)
    gauge.addCallback(async (result) => {
      for (const { value, attributes } of await readAll()) result.observe(value, attributes)
    })
    return watch
  },
}
bindMeter(meter)

/** Creates a counter whose total is read whenever metrics are collected. */
export function createReadCounter(options: MetricOptions, read: () => number): void {
  const counter = otel.createObservableCounter(options.name, define('counter', options))
  counter.addCallback((result) => result.observe(read()))
}

/**
 * Caches the attributes of each list of label values, because the SDK is faster with one object.
 */
function labelled(
  { labelNames = [] }: MetricOptions,
  record: (value: number, attributes: Attributes) => void,
): Recorder {
  const known = new Map<string, Attributes>()
  return (value, ...labels) => {
    const key = labels.length === 1 ? String(labels[0]) : labels.join(' ')
    let attributes = known.get(key)
    if (!attributes) {
      attributes = attributesOf(labelNames, labels)
      known.set(key, attributes)
    }
    record(value, attributes)
  }
}

function attributesOf(names: readonly string[], labels: readonly string[]): Attributes {
  return Object.fromEntries(names.map((name, index) => [name, labels[index] ?? '']))
}

interface Watched {
  attributes: Attributes
  read: Parameters<Watcher>[0]
  last: number | null
  reading: Promise<void> | null
}

function watchers({ labelNames = [] }: MetricOptions): {
  watch: Watcher
  readAll: () => Promise<{ value: number; attributes: Attributes }[]>
} {
  const all = new Set<Watched>()
  return {
    watch: (read, ...labels) => {
      const attributes = attributesOf(labelNames, labels)
      const watched = { attributes, read, last: null, reading: null }
      all.add(watched)
      return { [Symbol.dispose]: () => all.delete(watched) }
    },
    readAll: async () => {
      // Of several watches with the same labels, only the last one is read.
      const distinct = new Map([...all].map((one) => [JSON.stringify(one.attributes), one]))
      const found = [...distinct.values()]
      await Promise.all(found.map(refresh))
      return found.flatMap(({ last, attributes }) => {
        return last === null ? [] : [{ value: last, attributes }]
      })
    },
  }
}

/** Reads a value for at most `readMsMax`; a slower read serves the next collection. */
async function refresh(watched: Watched): Promise<void> {
  watched.reading ??= readOnce(watched).finally(() => {
    watched.reading = null
  })
  const waited = new AbortController()
  const late = sleep(readMsMax, undefined, { signal: waited.signal }).catch(() => undefined)
  await Promise.race([watched.reading, late])
  waited.abort()
}

async function readOnce(watched: Watched): Promise<void> {
  try {
    watched.last = await watched.read()
  } catch {
    // The dependency is away; readiness and the log report this.
  }
}

/** Collects the metrics of the process. */
export async function collectMetrics(): Promise<ResourceMetrics> {
  const { resourceMetrics } = await reader.collect()
  return resourceMetrics
}

const serializer = new PrometheusSerializer(undefined, false, undefined, true, true)

export const metricsContentType = 'text/plain; version=0.0.4; charset=utf-8'

/**
 * Returns the metrics of the process in the Prometheus text format (version 0.0.4), with HELP and
 * TYPE of metrics that have no value yet.
 */
export async function renderMetrics(): Promise<string> {
  const collected = await collectMetrics()
  const named = collected.scopeMetrics.flatMap(({ metrics }) => metrics)
  const missing = new Map(definitions)
  for (const { descriptor } of named) missing.delete(descriptor.name)
  const heads = [...missing.values()].map(
    ({ name, help, type }) => `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`,
  )
  return serializer.serialize(collected) + heads.join('')
}
