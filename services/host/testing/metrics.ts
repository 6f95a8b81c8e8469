import { renderMetrics } from '../src/telemetry/meter.ts'

export { renderMetrics }

/** Returns the value of a metric with these labels; undefined without such a series. */
export async function metricValue(
  name: string,
  labels: Record<string, string> = {},
): Promise<number | undefined> {
  const written = Object.entries(labels).map(([label, value]) => `${label}="${value}"`)
  const series = written.length === 0 ? name : `${name}{${written.join(',')}}`
  const line = (await renderMetrics()).split('\n').find((one) => one.startsWith(`${series} `))
  return line === undefined ? undefined : Number(line.slice(series.length))
}

/** Returns the sum of a metric over all its series. */
export async function sumOf(name: string): Promise<number> {
  const lines = (await renderMetrics())
    .split('\n')
    .filter((line) => /^\w+/.exec(line)?.[0] === name)
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0)
}
