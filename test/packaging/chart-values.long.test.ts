import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from '@jest/globals'
import {
  chart,
  type Manifest,
  readValues,
  renderObjects,
  requireTools,
  valueSets,
  valuesOf,
} from './chart.ts'
import { helm } from './tools/tool-list.ts'

beforeAll(() => requireTools([helm]))

/** Values that the set `everything` lacks, because one of its values excludes them. */
const alternatives = [
  'database.ca.configMapName',
  'database.url.key',
  'database.url.secretName',
  'defaults.nats.url',
  'nats.ca.configMapName',
  'nats.url',
  'nats.urlSecret.key',
  'nats.urlSecret.secretName',
  'temporal.ca.configMapName',
  'temporal.ca.system',
]

test('one set has every value of the schema, and the others those that it excludes', async () => {
  const paths = pathsOf(JSON.parse(readFileSync(join(chart, 'values.schema.json'), 'utf8')))
  expect(paths.length).toBeGreaterThan(120)
  const everything = await readValues('ci/everything.yaml')
  expect(paths.filter((path) => !isSet(everything, path))).toEqual(alternatives)
  const others = await Promise.all(valueSets.map((set) => readValues(`ci/${set}.yaml`)))
  const named = (path: string) => [path, path.replace('defaults.', 'parts.ledger.')]
  const covered = (path: string) =>
    named(path).some((one) => others.some((values) => isSet(values, one)))
  expect(alternatives.filter((path) => !covered(path))).toEqual([])
})

test('every value of the schema has a default', async () => {
  const defaults = await readValues('values.yaml')
  const paths = pathsOf(JSON.parse(readFileSync(join(chart, 'values.schema.json'), 'utf8')))
  const isOwn = (path: string) =>
    /^(parts|database\.services|defaults\.(image|nats|temporal))\./.test(path)
  expect(paths.filter((path) => !isOwn(path) && !isSet(defaults, path))).toEqual([])
})

test('policies of Jobs precede them, and let them reach their servers alone', async () => {
  const objects = await renderObjects(valuesOf('everything'))
  const dns = {
    ports: [
      { port: 53, protocol: 'UDP' },
      { port: 53, protocol: 'TCP' },
    ],
  }
  const other = { ports: [{ port: 443 }], to: [{ ipBlock: { cidr: '192.0.2.0/24' } }] }
  const database = { ports: [{ port: 5432 }], to: [expect.anything()] }
  const gateway = { podSelector: { matchLabels: labelsOf('gateway') } }
  const rules = {
    migration: [dns, database, other],
    keys: [dns, { ports: [{ port: 6443 }] }, other],
    test: [dns, { ports: [{ port: 'http' }], to: [gateway] }, other],
    backup: [dns, database, database, other],
    audit: [dns, database, other],
    operator: [dns, database, database, database, other],
  }
  for (const [part, egress] of Object.entries(rules)) {
    const policy = find(objects, 'NetworkPolicy', `coffer-${part}-job`)
    expect(policy.spec).toEqual({
      podSelector: { matchLabels: labelsOf(part) },
      policyTypes: ['Ingress', 'Egress'],
      egress,
    })
  }
  const jobs = objects.filter(({ kind }) => kind === 'Job')
  expect(jobs.map(({ metadata }) => metadata.name).sort()).toEqual([
    'coffer-create-keys',
    'coffer-migration',
  ])
  for (const job of jobs) {
    const labels = job.spec.template.metadata.labels
    const policies = objects.filter(({ kind, spec }) => {
      return kind === 'NetworkPolicy' && selects(spec.podSelector.matchLabels, labels)
    })
    expect(policies).toHaveLength(1)
    expect(policies.map(hookOf)).toEqual([
      { events: hookOf(job).events, weight: expect.any(Number), isDeleted: true },
    ])
    expect(policies.map((one) => hookOf(one).weight < hookOf(job).weight)).toEqual([true])
  }
  expect(find(objects, 'NetworkPolicy', 'coffer-test-job').metadata.annotations).toBeUndefined()
})

test('without restrictEgress policies leave connections of Jobs and parts alone', async () => {
  const objects = await renderObjects(valuesOf('mesh'))
  const policies = objects.filter(({ kind }) => kind === 'NetworkPolicy')
  expect(policies).toHaveLength(10)
  for (const { spec } of policies) {
    expect(spec.policyTypes).toEqual(['Ingress'])
    expect(spec.egress).toBeUndefined()
  }
})

test('only the parts that use a server may connect to it', async () => {
  const rule = (cidr: string) => `[{"to":[{"ipBlock":{"cidr":"${cidr}"}}]}]`
  const egress = {
    database: '1.0.0.0/8',
    nats: '2.0.0.0/8',
    temporal: '3.0.0.0/8',
    storage: '4.0.0.0/8',
  }
  const objects = await renderObjects([
    ...valuesOf('minimal'),
    '--set=networkPolicy.restrictEgress=true',
    `--set-json=parts.identity.egress=${rule('5.0.0.0/8')}`,
    `--set-json=parts.notices.egress=${rule('6.0.0.0/8')}`,
    ...Object.entries(egress).map(
      ([name, cidr]) => `--set-json=networkPolicy.egress.${name}=${rule(cidr)}`,
    ),
  ])
  const reached = (part: string) => {
    const { spec } = find(objects, 'NetworkPolicy', `coffer-${part}`)
    const peers = spec.egress.flatMap(
      ({ to = [] }: { to?: { ipBlock?: { cidr: string } }[] }) => to,
    )
    return peers
      .flatMap(({ ipBlock }: { ipBlock?: { cidr: string } }) => ipBlock?.cidr[0] ?? [])
      .sort()
      .join('')
  }
  const reachedBy = ['gateway', 'identity', 'ledger', 'budgeting', 'notices', 'migration-job']
  expect(reachedBy.map(reached)).toEqual(['2', '1235', '1234', '123', '1236', '1'])
})

test('a text restarts all pods, and Reloader knows the Secrets of each part', async () => {
  const parts = ['--set=secretsVersion=2', '--set=reloader=true']
  const objects = await renderObjects([...valuesOf('mesh'), ...parts])
  const deployments = objects.filter(({ kind }) => kind === 'Deployment')
  expect(deployments).toHaveLength(7)
  for (const { spec } of deployments) {
    expect(spec.template.metadata.annotations).toEqual({ 'coffer/secrets-version': '2' })
  }
  const reloaded = (part: string) =>
    find(deployments, 'Deployment', `coffer-${part}`).metadata.annotations
  const key = 'secret.reloader.stakater.com/reload'
  expect(reloaded('gateway')).toEqual({ [key]: 'coffer-nats' })
  expect(reloaded('identity')).toEqual({ [key]: 'coffer-databases,coffer-mail,coffer-nats' })
  expect(reloaded('ledger')).toEqual({ [key]: 'coffer-databases,coffer-nats,coffer-storage' })
})

test('a changed setting changes the pods: they read no ConfigMap of the chart', async () => {
  const objects = await renderObjects(valuesOf('everything'))
  const own = objects.flatMap(({ kind, metadata }) => {
    return kind === 'ConfigMap' || kind === 'Secret' ? [metadata.name] : []
  })
  expect(own).toContain('coffer-create-keys')
  for (const { spec } of objects.filter(({ kind }) => kind === 'Deployment')) {
    const text = JSON.stringify(spec.template.spec)
    expect(own.filter((name) => text.includes(`"${name}"`))).toEqual([])
  }
})

test('values of placement, containers and variables reach parts and Jobs', async () => {
  const objects = await renderObjects(valuesOf('everything'))
  const pods = objects.flatMap(({ kind, metadata, spec }) => {
    if (kind === 'Pod') return [{ name: metadata.name, spec }]
    return spec?.template === undefined ? [] : [{ name: metadata.name, spec: spec.template.spec }]
  })
  expect(pods).toHaveLength(11)
  for (const { name, spec } of pods) {
    const isPart = !/test|keys|migration/.test(name)
    const [main, ...beside] = spec.containers
    expect(spec).toMatchObject({
      affinity: { nodeAffinity: expect.anything() },
      nodeSelector: { 'kubernetes.io/arch': 'amd64' },
      tolerations: [expect.objectContaining({ key: 'dedicated' })],
      priorityClassName: 'system-cluster-critical',
      securityContext: { runAsUser: 1000700000, runAsGroup: 1000700000, fsGroup: 1000700000 },
    })
    expect(spec.initContainers[0].name).toBe('wait')
    expect(spec.volumes).toContainEqual({ name: 'scratch', emptyDir: { sizeLimit: '16Mi' } })
    const own = name.endsWith('keys') ? spec.initContainers.at(-1) : main
    expect(own.volumeMounts).toContainEqual({ name: 'scratch', mountPath: '/scratch' })
    expect(own.env).toContainEqual({
      name: 'NODE_NAME',
      valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } },
    })
    expect(beside.map((one: { name: string }) => one.name)).toEqual(isPart ? ['sidecar'] : [])
    if (!isPart) continue
    expect(spec.topologySpreadConstraints).toEqual([
      {
        maxSkew: 2,
        topologyKey: 'topology.kubernetes.io/zone',
        whenUnsatisfiable: 'DoNotSchedule',
        labelSelector: { matchLabels: labelsOf(name.replace('coffer-', '')) },
      },
    ])
  }
})

test('users and groups are left to the cluster by null', async () => {
  const ids = ['runAsUser', 'runAsGroup', 'fsGroup'].map((id) => `--set=podSecurity.${id}=null`)
  const objects = await renderObjects([...valuesOf('mesh'), ...ids])
  const texts = objects.map((object) => JSON.stringify(object))
  expect(texts.filter((text) => /runAsUser|runAsGroup|"fsGroup"/.test(text))).toEqual([])
  expect(texts.filter((text) => text.includes('"runAsNonRoot":true'))).toHaveLength(10)
})

test('a migration ends after its deadline', async () => {
  const objects = await renderObjects(valuesOf('everything'))
  const { spec } = find(objects, 'Job', 'coffer-migration')
  expect(spec).toMatchObject({ activeDeadlineSeconds: 7200, backoffLimit: 3 })
})

test('autoscaling compares the use of processors, not its share of a small request', async () => {
  const objects = await renderObjects(valuesOf('observed'))
  const { spec } = find(objects, 'HorizontalPodAutoscaler', 'coffer-gateway')
  const [metric] = spec.metrics
  expect(metric.resource).toEqual({
    name: 'cpu',
    target: { type: 'AverageValue', averageValue: '500m' },
  })
  expect(spec.behavior.scaleDown.stabilizationWindowSeconds).toBe(600)
})

type Schema = {
  $ref?: string
  properties?: Record<string, Schema>
  definitions?: Record<string, Schema>
}

/** Returns the paths of all values of a schema; of parts, those of all of them (`defaults`). */
function pathsOf(root: Schema): string[] {
  const visit = (path: string, schema: Schema): string[] => {
    const name = schema.$ref?.replace('#/definitions/', '')
    const known = name === undefined ? schema : (root.definitions?.[name] ?? {})
    const inner = Object.entries(known.properties ?? {})
    if (inner.length === 0 || /^parts\./.test(path)) return [path]
    return inner.flatMap(([key, one]) => visit(path === '' ? key : `${path}.${key}`, one))
  }
  return visit('', root)
    .filter((path) => path !== 'global')
    .sort()
}

function isSet(values: unknown, path: string): boolean {
  const found = path.split('.').reduce((value: unknown, key) => {
    return (value as Record<string, unknown> | undefined)?.[key]
  }, values)
  return found !== undefined
}

function labelsOf(part: string): Record<string, string> {
  return {
    'app.kubernetes.io/name': 'coffer',
    'app.kubernetes.io/instance': 'coffer',
    'app.kubernetes.io/component': part,
  }
}

function selects(selector: Record<string, string>, labels: Record<string, string>): boolean {
  return Object.entries(selector).every(([name, value]) => labels[name] === value)
}

function hookOf({ metadata: { annotations = {} } }: Manifest) {
  return {
    events: annotations['helm.sh/hook'],
    weight: Number(annotations['helm.sh/hook-weight']),
    isDeleted: annotations['helm.sh/hook-delete-policy']?.endsWith(',hook-succeeded') ?? false,
  }
}

function find(objects: Manifest[], kind: string, name: string): Manifest {
  const found = objects.find((one) => one.kind === kind && one.metadata.name === name)
  if (found === undefined) throw new Error(`no ${kind} ${name}`)
  return found
}
