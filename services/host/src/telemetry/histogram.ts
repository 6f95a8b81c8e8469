import type { HistogramOptions, Recorder } from '@coffer/kit/telemetry/meter'
import { type Attributes, type HrTime, ValueType } from '@opentelemetry/api'
import {
  AggregationTemporality,
  DataPointType,
  type HistogramMetricData,
} from '@opentelemetry/sdk-metrics'

/** The values of a histogram that have the same labels. */
interface Series {
  attributes: Attributes
  startTime: HrTime
  /** Values up to each bound; the last is of those above all. */
  counts: number[]
  count: number
  sum: number
  min: number
  max: number
}

/** Series by their next label. */
interface Labels {
  next: Map<string, Labels>
  series: Series | null
}

export interface Histogram {
  record: Recorder
  /** Returns the totals since the start of the process. */
  collect: () => HistogramMetricData
}

/**
 * Creates a histogram. Every request records into several, and the SDK would sort and stringify the
 * attributes of each value.
 */
export function createHistogram(
  options: HistogramOptions & { buckets: readonly number[] },
): Histogram {
  const { name, help: description, labelNames = [], buckets } = options
  const boundaries = [...buckets]
  const root: Labels = { next: new Map(), series: null }
  const all: Series[] = []
  const startSeries = (labels: readonly string[]): Series => {
    const named = labelNames.map((label, index) => [label, labels[index] ?? ''])
    const counts = new Array<number>(boundaries.length + 1).fill(0)
    const totals = { counts, count: 0, sum: 0, min: Infinity, max: -Infinity }
    const series = { attributes: Object.fromEntries(named), startTime: now(), ...totals }
    all.push(series)
    return series
  }
  return {
    record: (value, ...labels) => {
      let node = root
      for (const label of labels) node = nextOf(node, label)
      node.series ??= startSeries(labels)
      addTo(node.series, boundaries, value)
    },
    collect: () => {
      const endTime = now()
      return {
        descriptor: { name, description, unit: '', valueType: ValueType.DOUBLE },
        aggregationTemporality: AggregationTemporality.CUMULATIVE,
        dataPointType: DataPointType.HISTOGRAM,
        dataPoints: all.map(({ attributes, startTime, counts, ...totals }) => {
          const value = { ...totals, buckets: { boundaries, counts: [...counts] } }
          return { attributes, startTime, endTime, value }
        }),
      }
    },
  }
}

function nextOf({ next }: Labels, label: string): Labels {
  let node = next.get(label)
  if (!node) {
    node = { next: new Map(), series: null }
    next.set(label, node)
  }
  return node
}

function addTo(series: Series, boundaries: readonly number[], value: number): void {
  let bucket = 0
  while (value > (boundaries[bucket] ?? Infinity)) bucket += 1
  series.counts[bucket] = (series.counts[bucket] ?? 0) + 1
  series.count += 1
  series.sum += value
  series.min = Math.min(series.min, value)
  series.max = Math.max(series.max, value)
}

function now(): HrTime {
  const ms = Date.now()
  const seconds = Math.floor(ms / 1000)
  return [seconds, (ms - 1000 * seconds) * 1e6]
}
