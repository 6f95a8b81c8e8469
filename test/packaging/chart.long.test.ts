import { join } from 'node:path'
import { beforeAll, expect, test } from '@jest/globals'
import {
  attempt,
  binary,
  chart,
  examples,
  output,
  render,
  requireTools,
  valueSets,
  valuesOf,
} from './chart.ts'
import { unknownSettings } from './setting-names.ts'
import { toolDirectory } from './tools/install.ts'
import { helm, kubeconform, kubeScore, schemas, schemaVersions } from './tools/tool-list.ts'

/** Complaints of kube-score that are accepted, with the reasons. */
const accepted: Record<string, string> = {
  'ImagePullPolicy is not set to Always':
    'A tag of a release is never pushed again: Always would add a request to each start.',
  'The container is running with a low user ID':
    'The image has the user node (1000) of its base, to whom its compile cache belongs.',
  'The container running with a low group ID': 'The group of that user.',
  'CPU limit is not set':
    'Throttling would slow requests while the node has idle cores. Memory and disk are limited.',
  'The pod does not have a matching egress NetworkPolicy':
    'The chart does not know the addresses of Postgres and others: networkPolicy.restrictEgress.',
}

beforeAll(() => requireTools([helm, kubeconform, kubeScore, schemas]))

test.each(valueSets)('helm lint finds nothing in %s', async (set) => {
  const args = ['lint', '--strict', chart, ...valuesOf(set)]
  expect(await output(binary(helm), args)).toContain('1 chart(s) linted, 0 chart(s) failed')
})

test.each(valueSets)('every setting in the pods of %s exists', async (set) => {
  const text = await render(valuesOf(set))
  expect(text).toContain('COFFER_NATS_URL')
  expect(unknownSettings(text)).toEqual([])
})

test.each(schemaVersions)('all fit the schemas of Kubernetes %s', async (version) => {
  const ofSets = valueSets.map((set) => render(valuesOf(set)))
  const ofExamples = examples.map((example) => render(valuesOf('minimal', example)))
  const texts = await Promise.all([...ofSets, ...ofExamples])
  expect(new Set(texts).size).toBe(valueSets.length + examples.length)
  await requireValid(texts.join('\n---\n'), version)
})

test('kube-score complains of nothing without a reason, and of all that has one', async () => {
  const complaints = new Set<string>()
  for (const set of valueSets) {
    const options = ['score', '--kubernetes-version', 'v1.34', '--output-format', 'ci', '-']
    const input = await render(valuesOf(set))
    const { stdout } = await attempt(binary(kubeScore), options, { input })
    expect(stdout).toContain('[OK] coffer-migration')
    for (const line of stdout.split('\n')) {
      const [, text] = /^\[(?:WARNING|CRITICAL)\] [^:]+: (?:\(\w+\) )?(.+)$/.exec(line) ?? []
      if (text !== undefined) complaints.add(text)
    }
  }
  expect([...complaints].sort()).toEqual(Object.keys(accepted).sort())
})

test('a part changes the values of all parts, also to false, 0 and empty', async () => {
  const text = await render([
    ...valuesOf('minimal'),
    '--set=defaults.autoscaling.enabled=true',
    '--set=parts.ledger.autoscaling.enabled=false',
    '--set=parts.ledger.replicas=0',
  ])
  expect(text.match(/kind: HorizontalPodAutoscaler/g)).toHaveLength(6)
  expect(text.match(/^ {2}replicas: 0$/gm)).toHaveLength(1)
})

test('two renderings are equal: nothing random is in them', async () => {
  const options = [...valuesOf('mesh'), '--is-upgrade']
  expect(await render(options)).toBe(await render(options))
})

/**
 * Requires that all objects fit the strict schemas of a version of Kubernetes. Types of other
 * projects are left to the API server, which has their definitions (cluster.long.test.ts).
 */
async function requireValid(text: string, version: string): Promise<void> {
  const place = `v${version}.0-local{{ .StrictSuffix }}/{{ .ResourceKind }}{{ .KindSuffix }}.json`
  const others = 'HTTPRoute,ServiceMonitor,PrometheusRule'
  const options = ['-strict', '-summary', '-kubernetes-version', `${version}.0`, '-skip', others]
  const location = ['-schema-location', join(toolDirectory(schemas), place)]
  const summary = await output(binary(kubeconform), [...options, ...location], { input: text })
  expect(summary).toMatch(/Invalid: 0, Errors: 0/)
}
