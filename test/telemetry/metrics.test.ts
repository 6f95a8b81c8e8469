import '@coffer/host/serve'
import { renderMetrics } from '@coffer/host/testing/metrics'
import { expect, test } from '@jest/globals'
import { startCoffer } from '../harness/coffer.ts'

/** A metric as Prometheus reads it: labels and bounds of buckets are of all its series. */
interface Shape {
  type: string
  labels: string[]
  bounds: string[]
}

/** Parses the Prometheus text format 0.0.4. */
function shapesOf(text: string): Map<string, Shape> {
  const shapes = new Map<string, Shape>()
  let current = { name: '', labels: new Set<string>(), bounds: new Set<string>() }
  for (const line of text.split('\n')) {
    const [, name = '', type = ''] = /^# TYPE (\S+) (\S+)/.exec(line) ?? []
    if (name !== '') {
      current = { name, labels: new Set(), bounds: new Set() }
      shapes.set(name, { type, labels: [], bounds: [] })
    }
    const shape = shapes.get(current.name)
    if (line.startsWith('#') || !shape) continue
    for (const [, label = '', value = ''] of line.matchAll(/(\w+)="([^"]*)"/g)) {
      if (label === 'le') current.bounds.add(value)
      else current.labels.add(label)
    }
    Object.assign(shape, { labels: [...current.labels], bounds: [...current.bounds] })
  }
  return shapes
}

const durations = ['0.001', '0.005', '0.025', '0.1', '0.5', '2.5', '10', '+Inf']
const waits = ['0.001', '0.005', '0.025', '0.1', '0.5', '1', '3', '10', '+Inf']

/** Metrics of version 0.2 that have series after requests, with their labels and buckets. */
const labelled: Record<string, Shape> = {
  coffer_http_request_seconds: {
    type: 'histogram',
    labels: ['method', 'route', 'status'],
    bounds: durations,
  },
  coffer_rpc_seconds: {
    type: 'histogram',
    labels: ['service', 'method', 'code'],
    bounds: durations,
  },
  coffer_database_wait_seconds: { type: 'histogram', labels: ['schema'], bounds: waits },
  coffer_relay_backlog: { type: 'gauge', labels: ['service'], bounds: [] },
}

/** The other metrics of version 0.2, the standard ones of processes included, by type. */
const named: Record<string, string[]> = {
  counter: [
    'coffer_dead_letters_total',
    'coffer_refused_callers_total',
    'process_cpu_seconds_total',
    'process_cpu_system_seconds_total',
    'process_cpu_user_seconds_total',
  ],
  gauge: [
    'coffer_aggregator_releases_waiting',
    'coffer_aggregator_release_age_seconds',
    'nodejs_active_resources_total',
    'nodejs_eventloop_lag_max_seconds',
    'nodejs_eventloop_lag_mean_seconds',
    'nodejs_eventloop_lag_min_seconds',
    'nodejs_eventloop_lag_p50_seconds',
    'nodejs_eventloop_lag_p90_seconds',
    'nodejs_eventloop_lag_p99_seconds',
    'nodejs_eventloop_lag_stddev_seconds',
    'nodejs_external_memory_bytes',
    'nodejs_heap_size_total_bytes',
    'nodejs_heap_size_used_bytes',
    'process_open_fds',
    'process_resident_memory_bytes',
    'process_start_time_seconds',
  ],
  histogram: [
    'coffer_aggregator_call_seconds',
    'coffer_aggregator_webhook_seconds',
    'nodejs_gc_duration_seconds',
  ],
}

test('metrics keep their names, types, labels and buckets', async () => {
  await using coffer = await startCoffer()
  await coffer.person()
  const shapes = shapesOf(await renderMetrics())
  for (const [name, shape] of Object.entries(labelled)) {
    expect([name, shapes.get(name)]).toEqual([name, shape])
  }
  for (const [type, names] of Object.entries(named)) {
    for (const name of names) expect([name, shapes.get(name)?.type]).toEqual([name, type])
  }
})
