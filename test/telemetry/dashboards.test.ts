import { readdirSync, readFileSync } from 'node:fs'
import '@coffer/cli/process/process'
import '@coffer/cli/process/services'
import '@coffer/gateway/main'
import { renderMetrics } from '@coffer/host/testing/metrics'
import { expect, test } from '@jest/globals'

const chart = new URL('../../deploy/helm/coffer/', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, chart), 'utf8')
const rules = read('alerts.yaml')

interface Panel {
  title: string
  targets: { expr: string }[]
}

const dashboards = readdirSync(new URL('dashboards', chart)).map((name): { panels: Panel[] } =>
  JSON.parse(read(`dashboards/${name}`)),
)

/** Metrics that other programs export, with the program. */
const elsewhere: Record<string, string> = {
  up: 'Prometheus itself, for each scraped process',
  kube_cronjob_created: 'kube-state-metrics',
  kube_cronjob_status_last_successful_time: 'kube-state-metrics',
}

/** Names of metrics in PromQL: words that no bracket follows, outside of labels and texts. */
function metricsIn(expression: string): string[] {
  const bare = expression
    .replace(/"[^"]*"/g, '')
    .replace(/\{[^}]*\}|\[[^\]]*\]/g, ' ')
    .replace(/\b(by|without|on|ignoring)\s*\([^)]*\)/g, ' ')
  const words = [...bare.matchAll(/\b[a-z_][a-z0-9_]*\b(?!\s*\()/g)].map(([word]) => word)
  return words
    .filter((word) => !['or', 'and', 'unless', 'offset', 'by', 'bool'].includes(word))
    .map((word) => word.replace(/_(bucket|count|sum)$/, ''))
}

const ruled = [...rules.matchAll(/^ {8}expr: (?:>-\n)?((?:.+\n)(?: {10}.+\n)*)/gm)]
const alerted = ruled.map(([, one]) => one ?? '')
const alerts = [...rules.matchAll(/^ {6}- alert: (\w+)$/gm)].map(([, name]) => name ?? '')
const shown = dashboards.flatMap(({ panels }) => {
  return panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))
})

/** Returns the names of the metrics that this process exports. */
async function exportedMetrics(): Promise<string[]> {
  const text = await renderMetrics()
  return [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name ?? '')
}

test('every metric of a dashboard or an alert is exported', async () => {
  const exported = await exportedMetrics()
  expect(alerted.length).toBe(alerts.length)
  const names = new Set([...alerted, ...shown].flatMap(metricsIn))
  expect(names.size).toBeGreaterThan(25)
  const unknown = [...names].filter((name) => !exported.includes(name) && !elsewhere[name])
  expect(unknown).toEqual([])
})

test('every metric of Coffer is in a dashboard', async () => {
  const own = (await exportedMetrics()).filter((name) => name.startsWith('coffer_'))
  const panels = new Set(shown.flatMap(metricsIn))
  expect(own.filter((name) => !panels.has(name))).toEqual([])
})

test('every metric of an alert or a dashboard names the installation', () => {
  const free = (texts: string[], matcher: string) =>
    texts.flatMap((text) => {
      const named = [...text.matchAll(/\b(?:coffer|nodejs|process)_\w+|\bup\b/g)]
      return named
        .filter(({ 0: name, index }) => !text.startsWith(`{${matcher}`, index + name.length))
        .map(([name]) => name)
    })
  expect(free(alerted, 'job=~".*coffer.*"')).toEqual([])
  expect(free(shown, 'namespace=~"$namespace",job=~"$job"')).toEqual([])
})

test('every alert has a unit test in which it fires, and one in which it does not', () => {
  const cases = readFileSync(new URL('../data/alerts.rules.yaml', import.meta.url), 'utf8')
  const fired = [...cases.matchAll(/alertname="(\w+)".*value: 1/g)].map(([, name]) => name)
  expect([...new Set(fired)].sort()).toEqual([...alerts].sort())
  const quiet = cases
    .split(/^ {2}- name: /m)
    .filter((one) => one.includes('exp_samples: []'))
    .join('')
  const series = [...quiet.matchAll(/series: '(\w+)/g)].map(([, name]) => name ?? '')
  const names = new Set(series.map((name) => name.replace(/_(bucket|count|sum)$/, '')))
  expect(alerted.flatMap(metricsIn).filter((name) => !names.has(name))).toEqual([])
})

test('every alert has a paragraph in the operations page', () => {
  const page = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8')
  const told = [...page.matchAll(/^- \*\*`(Coffer\w+)`\*\*: /gm)].map(([, name]) => name ?? '')
  expect(alerts.length).toBeGreaterThan(10)
  expect(told).toEqual(alerts)
})
