import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { scratchFolder } from '@coffer/host/testing/fixture/scratch'
import { expect, test } from '@jest/globals'
import { render, valuesOf } from './chart.ts'

const run = promisify(execFile)
const rules = fileURLToPath(new URL('../../deploy/helm/coffer/alerts.yaml', import.meta.url))
const cases = fileURLToPath(new URL('../data/alerts.rules.yaml', import.meta.url))

/** Runs Prometheus' promtool; returns what it prints. */
async function promtool(...words: string[]): Promise<string> {
  try {
    return (await run('promtool', words)).stdout
  } catch (error) {
    const { code, stdout, stderr } = error as { code: unknown; stdout: string; stderr: string }
    if (code !== 'ENOENT') throw new Error(`promtool ${words.join(' ')}:\n${stdout}${stderr}`)
    throw new Error('promtool is missing: install the package prometheus (Debian)')
  }
}

/** Runs the cases on rules, both as YAML. */
async function requirePassing(rulesText: string, casesText: string): Promise<void> {
  await using folder = await scratchFolder()
  await writeFile(join(folder.path, 'alerts.yaml'), rulesText)
  await writeFile(join(folder.path, 'cases.yaml'), casesText)
  expect(await promtool('check', 'rules', join(folder.path, 'alerts.yaml'))).toContain('SUCCESS')
  expect(await promtool('test', 'rules', join(folder.path, 'cases.yaml'))).toContain('SUCCESS')
}

test('the alert rules are valid, fire on their fault, and not without one', async () => {
  await requirePassing(await readFile(rules, 'utf8'), await readFile(cases, 'utf8'))
})

const parts = ['gateway', 'identity', 'ledger', 'budgeting', 'aggregator-sync', 'notices']

function aliveOf(part: string, namespace: string): string {
  const labels = `namespace="${namespace}",job="coffer",part="${part}",version="0.3.0"`
  return `      - { series: 'coffer_part_info{${labels}}', values: "1x180" }\n`
}

/** The other installation of the cases: none of its series may satisfy rules of the first. */
const other = `
  - name: no target at all, beside an installation in another namespace and one of another name
    interval: 1m
    input_series:
      - { series: 'up{namespace="budget",job="coffer"}', values: "1x60 _x120" }
      - { series: 'up{namespace="quiet",job="coffer"}', values: "1x180" }
      - { series: 'up{namespace="budget",job="coffer-next"}', values: "1x180" }
    promql_expr_test:
      - expr: count by (alertname, namespace, job) (ALERTS{alertstate="firing"})
        eval_time: 170m
        exp_samples:
          - { labels: '{alertname="CofferGone",namespace="budget",job="coffer"}', value: 1 }
  - name: a part that only another installation still has
    interval: 1m
    input_series:
      - { series: 'up{namespace="budget",job="coffer"}', values: "1x180" }
${parts.map((part) => aliveOf(part, 'budget')).join('')}
${[...parts, 'feed-sync'].map((part) => aliveOf(part, 'quiet')).join('')}
    promql_expr_test:
      - expr: count by (alertname, part, namespace) (ALERTS{alertstate="firing"})
        eval_time: 170m
        exp_samples:
          - labels: '{alertname="CofferPartGone",part="feed-sync",namespace="budget"}'
            value: 1
`

test.each([
  ['coffer', []],
  ['coffer-money', ['--set=nameOverride=money']],
  ['money', ['--set=fullnameOverride=money']],
])('the rules that the chart renders are those of one installation: %s', async (job, options) => {
  const objects = (await render([...valuesOf('observed'), ...options])).split(/^---$/m)
  const of = (kind: string) => objects.find((one) => one.includes(`\nkind: ${kind}\n`)) ?? ''
  expect(of('ServiceMonitor')).toContain(`- { targetLabel: job, replacement: ${job} }`)
  const [, spec = ''] = of('PrometheusRule').split(/^spec:\n/m)
  const text = (await readFile(cases, 'utf8')) + other
  await requirePassing(
    spec.replaceAll(/^ {2}/gm, ''),
    text
      .replaceAll('job="coffer"', `job="${job}"`)
      .replaceAll('cronjob="coffer-', `cronjob="${job}-`)
      .replaceAll('coffer-next', 'next'),
  )
})
