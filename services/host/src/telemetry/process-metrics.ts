import { readdirSync } from 'node:fs'
import { monitorEventLoopDelay, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks'
import { createHistogram, createWatchedGauge } from '@coffer/kit/telemetry/meter'
import { createReadCounter } from './meter.ts'

// Interval in ms at which the event loop's delay is sampled. The default of 10 ms would use most of
// the CPU time of an idle process.
const sampleMs = 100

const delays = monitorEventLoopDelay({ resolution: sampleMs })
delays.enable()

type Delays = Record<'min' | 'max' | 'mean' | 'stddev' | 'p50' | 'p90' | 'p99', number | null>
let taken: Delays | null = null

/** Returns delays in seconds since the previous collection; gauges of one collection share them. */
function takeDelays(): Delays {
  if (taken) return taken
  const seconds = (ns: number) => (delays.count === 0 ? null : ns / 1e9)
  const { min, max, mean, stddev } = delays
  const [p50, p90, p99] = [50, 90, 99].map((percent) => seconds(delays.percentile(percent)))
  taken = {
    min: seconds(min),
    max: seconds(max),
    mean: seconds(mean),
    stddev: seconds(stddev),
    p50: p50 ?? null,
    p90: p90 ?? null,
    p99: p99 ?? null,
  }
  delays.reset()
  setImmediate(() => {
    taken = null
  })
  return taken
}

/** Measures the time in seconds until the event loop runs a callback. */
function readDelay(): Promise<number> {
  const startedAt = performance.now()
  return new Promise((resolve) => {
    setImmediate(() => resolve((performance.now() - startedAt) / 1_000))
  })
}

/** Number of open files; null where the system has no /proc (macOS). */
function countOpenFiles(): number | null {
  try {
    // Minus the descriptor that is open to read the folder.
    return readdirSync('/proc/self/fd').length - 1
  } catch {
    return null
  }
}

/** Standard metrics of a process and of Node, under the names that dashboards for Node expect. */
const gauges: Record<string, [help: string, read: () => number | null | Promise<number>]> = {
  nodejs_eventloop_lag_seconds: ['Time until the event loop ran a callback.', readDelay],
  nodejs_eventloop_lag_min_seconds: ['Least delay of the event loop.', () => takeDelays().min],
  nodejs_eventloop_lag_max_seconds: ['Longest delay of the event loop.', () => takeDelays().max],
  nodejs_eventloop_lag_mean_seconds: ['Mean delay of the event loop.', () => takeDelays().mean],
  nodejs_eventloop_lag_stddev_seconds: [
    'Standard deviation of the delay of the event loop.',
    () => takeDelays().stddev,
  ],
  nodejs_eventloop_lag_p50_seconds: ['Median delay of the event loop.', () => takeDelays().p50],
  nodejs_eventloop_lag_p90_seconds: ['90th percentile of the delay.', () => takeDelays().p90],
  nodejs_eventloop_lag_p99_seconds: ['99th percentile of the delay.', () => takeDelays().p99],
  nodejs_active_resources_total: [
    'Timers, sockets and requests that keep the event loop alive.',
    () => process.getActiveResourcesInfo().length,
  ],
  nodejs_heap_size_total_bytes: ['Size of the heap.', () => process.memoryUsage().heapTotal],
  nodejs_heap_size_used_bytes: ['Used part of the heap.', () => process.memoryUsage().heapUsed],
  nodejs_external_memory_bytes: [
    'Memory of objects outside the heap.',
    () => process.memoryUsage().external,
  ],
  process_resident_memory_bytes: ['Resident memory.', () => process.memoryUsage.rss()],
  process_open_fds: ['Open file descriptors.', countOpenFiles],
  process_start_time_seconds: [
    'Start of the process, in seconds since the Unix epoch.',
    () => Math.round(performance.timeOrigin / 1_000),
  ],
}
for (const [name, [help, read]] of Object.entries(gauges)) createWatchedGauge({ name, help })(read)

const processorTimes: Record<string, [help: string, read: (usage: NodeJS.CpuUsage) => number]> = {
  process_cpu_seconds_total: ['Processor time.', ({ user, system }) => user + system],
  process_cpu_user_seconds_total: ['Processor time in user mode.', ({ user }) => user],
  process_cpu_system_seconds_total: ['Processor time in the kernel.', ({ system }) => system],
}
for (const [name, [help, read]] of Object.entries(processorTimes)) {
  createReadCounter({ name, help }, () => read(process.cpuUsage()) / 1e6)
}

const observePause = createHistogram({
  name: 'nodejs_gc_duration_seconds',
  help: 'Pauses of garbage collection, by kind: major, minor, incremental or weakcb.',
  labelNames: ['kind'],
  buckets: [0.001, 0.01, 0.1, 1, 2, 5],
})
// Kinds of performance entries of type `gc` (perf_hooks.constants).
const kinds: Record<number, string> = { 1: 'minor', 4: 'major', 8: 'incremental', 16: 'weakcb' }

new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    const { detail, duration } = entry as PerformanceEntry & { detail?: { kind?: number } }
    observePause(duration / 1_000, kinds[detail?.kind ?? 0] ?? 'other')
  }
}).observe({ entryTypes: ['gc'] })
