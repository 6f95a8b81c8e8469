import { readdirSync, readFileSync } from 'node:fs'
import '@coffer/cli/process'
import '@coffer/cli/services'
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
const elsewhere: Record<string, string> = { up: 'Prometheus itself, for each scraped process' }

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

test('every metric of a dashboard or an alert is exported', async () => {
  const text = await renderMetrics()
  const exported = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name ?? '')
  const ruled = [...rules.matchAll(/^ {8}expr: (?:>-\n)?((?:.+\n)(?: {10}.+\n)*)/gm)]
  const shown = dashboards.flatMap(({ panels }) => panels.flatMap(({ targets }) => targets))
  const used = [...ruled.map(([, one]) => one ?? ''), ...shown.map(({ expr }) => expr)]
  expect(used.length).toBeGreaterThan(30)
  const names = new Set(used.flatMap(metricsIn))
  expect(names.size).toBeGreaterThan(15)
  const unknown = [...names].filter((name) => !exported.includes(name) && !elsewhere[name])
  expect(unknown).toEqual([])
})

test('every alert has a paragraph in the operations page', () => {
  const page = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8')
  const alerts = [...rules.matchAll(/^ {6}- alert: (\w+)$/gm)].map(([, name]) => name ?? '')
  const told = [...page.matchAll(/^- \*\*`(Coffer\w+)`\*\*: /gm)].map(([, name]) => name ?? '')
  expect(alerts.length).toBeGreaterThan(10)
  expect(told).toEqual(alerts)
})
