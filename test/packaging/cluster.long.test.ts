import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadParts } from '@coffer/cli/process/parts'
import { readConfig } from '@coffer/cli/settings/environment'
import { calls, type PartName } from '@coffer/cli/settings/service-names'
import { node24, root } from '@coffer/local/bootstrap/paths.mjs'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { startCoffer } from '../harness/coffer.ts'
import {
  attempt,
  chart,
  examples,
  output,
  render,
  requireTools,
  valueSets,
  valuesOf,
} from './chart.ts'
import { type Cluster, type KubernetesObject, startCluster } from './cluster.ts'
import { toolDirectory } from './tools/install.ts'
import {
  controlPlane,
  etcd,
  gatewayApi,
  helm,
  kwok,
  prometheusOperator,
} from './tools/tool-list.ts'

const nodes = ['a', 'b', 'c']
const parts = [
  'aggregator-sync',
  'budgeting',
  'feed-sync',
  'gateway',
  'identity',
  'ledger',
  'notices',
]
const definitions = [
  join(toolDirectory(gatewayApi), 'crds/gateway.networking.k8s.io_httproutes.yaml'),
  join(toolDirectory(prometheusOperator), 'crds/monitoring.coreos.com_servicemonitors.yaml'),
  join(toolDirectory(prometheusOperator), 'crds/monitoring.coreos.com_prometheusrules.yaml'),
]

const place = ['--namespace', 'budget', '--wait', '--timeout', '5m']

let cluster: Cluster

beforeAll(async () => {
  requireTools([helm, controlPlane, etcd, kwok, gatewayApi, prometheusOperator])
  cluster = await startCluster({ nodes })
  for (const file of definitions) await cluster.kubectl(['create', '-f', file])
  for (const name of ['budget', 'keys']) {
    await cluster.kubectl(['create', 'namespace', name])
    // The strictest Pod Security Standard: the API server refuses pods that need more.
    const modes = ['enforce', 'warn'].map((mode) => `pod-security.kubernetes.io/${mode}=restricted`)
    await cluster.kubectl(['label', 'namespace', name, ...modes])
  }
  // The controllers have run: pods can be created.
  await cluster.kubectl(['wait', '--for=create', 'serviceaccount/default', '-n', 'budget'])
  // The set `everything` names this account, and its operator creates it.
  await cluster.kubectl(['create', 'serviceaccount', 'coffer-writer', '-n', 'budget'])
})

afterAll(async () => cluster?.[Symbol.asyncDispose]())

test.each(valueSets)('the API server accepts %s, without a warning', async (set) => {
  const options = ['--server-side', '--dry-run=server', '--validate=strict', '-n', 'budget']
  const text = await render(valuesOf(set))
  const { code, stderr } = await cluster.attemptKubectl(['apply', ...options, '-f', '-'], text)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
})

test.each([
  ...valueSets.map((set) => [set, ''] as const),
  ...examples.map((example) => ['minimal', example] as const),
])('the processes of %s accept their settings %s', async (set, example) => {
  const options = ['apply', '--dry-run=server', '-n', 'budget', '-o=json', '-f', '-']
  const { items } = JSON.parse(await cluster.kubectl(options, await render(valuesOf(set, example))))
  const deployments = items.filter(({ kind }: KubernetesObject) => kind === 'Deployment')
  expect(deployments).toHaveLength(set === 'single' ? 1 : parts.length)
  for (const { spec } of deployments as KubernetesObject[]) {
    const [container] = spec.template?.spec.containers ?? []
    const [command, ...names] = container?.args ?? []
    expect(command).toBe('serve')
    const env = container?.env.map(({ name, value }) => [name, value ?? secretValue(name)]) ?? []
    // Throws if a setting is unknown or invalid, or the address of a called service is missing.
    await loadParts(names as PartName[], readConfig(Object.fromEntries(env)))
  }
})

test('the API server refuses what the schemas of types accept', async () => {
  const text = await render(valuesOf('mesh'))
  const wrong = text.replace('pathType: Prefix', 'pathType: prefix')
  const options = ['--server-side', '--dry-run=server', '-n', 'budget']
  const { code, stderr } = await cluster.attemptKubectl(['apply', ...options, '-f', '-'], wrong)
  expect(code).toBe(1)
  expect(stderr).toContain('pathType')
})

test('an installation becomes ready, and its migration ran before its first pod', async () => {
  await cluster.helm(['install', 'coffer', chart, ...place, ...valuesOf('mesh')])
  const [job] = await items('jobs')
  expect(job?.status?.succeeded).toBe(1)
  const deployments = await items('deployments')
  expect(deployments.map(({ metadata }) => metadata.name)).toEqual(
    parts.map((part) => `coffer-${part}`),
  )
  for (const { metadata, spec, status } of deployments) {
    expect(metadata.creationTimestamp >= `${job?.status?.completionTime}`).toBe(true)
    expect(status?.readyReplicas).toBe(spec.replicas)
  }
})

test('pods have no variables of Services, no token, and a grace period of 30 s', async () => {
  const pods = (await items('pods')).filter(({ metadata }) => parts.includes(partOf(metadata)))
  expect(pods).toHaveLength(13)
  for (const { spec } of pods) {
    expect(spec.enableServiceLinks).toBe(false)
    expect(spec.automountServiceAccountToken).toBe(false)
    expect(spec.terminationGracePeriodSeconds).toBe(30)
    const names = spec.containers.flatMap(({ env }) => env.map(({ name }) => name))
    expect(names.filter((name) => /_SERVICE_HOST$|_PORT(_\d+_TCP|$)/.test(name))).toEqual([
      'COFFER_GRPC_PORT',
      'COFFER_PORT',
      'COFFER_RPC_PORT',
      'COFFER_METRICS_PORT',
    ])
  }
})

test('replicas of a part are on several nodes', async () => {
  const pods = await items('pods')
  for (const part of parts) {
    const own = pods.filter(({ metadata }) => partOf(metadata) === part)
    expect(new Set(own.map(({ spec }) => spec.nodeName)).size).toBe(own.length)
  }
})

test('network policies admit to each service its callers, and no others', async () => {
  const policies = await items('networkpolicies')
  for (const part of parts.filter((name) => name !== 'gateway')) {
    const policy = policies.find(({ metadata }) => partOf(metadata) === part)
    const admitted = policy?.spec.ingress?.flatMap(({ from, ports }) => {
      expect(ports).toEqual([{ port: 'rpc', protocol: 'TCP' }])
      return from?.map(({ podSelector }) => podSelector?.matchLabels[component]) ?? ['everyone']
    })
    const callers = Object.entries(calls).filter(([, called]) => called.some((one) => one === part))
    expect(admitted?.sort()).toEqual(callers.map(([caller]) => caller).sort())
  }
})

test('an upgrade migrates first, and no part ever has fewer pods than it wants', async () => {
  const [before] = await items('jobs')
  const format = '{.metadata.name} {.status.availableReplicas}{"\\n"}'
  const watch = cluster.watch(['get', 'deployments', '-n', 'budget', `-o=jsonpath=${format}`])
  const next = ['--set', 'image.tag=9.0.0', '--set', 'lameDuckSeconds=20']
  await cluster.helm(['upgrade', 'coffer', chart, ...place, ...valuesOf('mesh'), ...next])
  const lines = (await watch.end()).trim().split('\n')
  const [job] = await items('jobs')
  expect(job?.metadata.name).toBe(before?.metadata.name)
  expect(job?.metadata.creationTimestamp).not.toBe(before?.metadata.creationTimestamp)
  expect(lines.length).toBeGreaterThan(parts.length)
  expect(lines.filter((line) => !/ [2-9]$/.test(line))).toEqual([])
  for (const { metadata, spec } of await items('pods')) {
    if (!parts.includes(partOf(metadata))) continue
    expect(spec.containers[0]?.image).toBe('coffer:9.0.0')
    expect(spec.terminationGracePeriodSeconds).toBe(40)
  }
})

test('an eviction waits for the replacement of the pod before it', async () => {
  for (const node of nodes) await cluster.kubectl(['cordon', node])
  const pods = (await items('pods')).filter(({ metadata }) => partOf(metadata) === 'gateway')
  const [first, second] = pods.map(({ metadata }) => metadata.name)
  expect((await evict(first)).code).toBe(0)
  const refused = await evict(second)
  expect(refused.stderr).toContain("would violate the pod's disruption budget")
  for (const node of nodes) await cluster.kubectl(['uncordon', node])
})

test('a drain of a node moves its pods', async () => {
  const options = ['--delete-emptydir-data', '--force', '--timeout=120s']
  await cluster.kubectl(['drain', 'a', ...options])
  await cluster.kubectl([
    'wait',
    'deployments',
    '--all',
    '-n',
    'budget',
    '--for=condition=Available',
  ])
  const pods = (await items('pods')).filter(({ metadata }) => parts.includes(partOf(metadata)))
  expect(pods).toHaveLength(13)
  expect(pods.filter(({ spec }) => spec.nodeName === 'a')).toEqual([])
})

test('autoscaling keeps the minimum of replicas, also without metrics', async () => {
  const scaling = ['--set', 'defaults.autoscaling.enabled=true']
  await cluster.helm(['upgrade', 'coffer', chart, ...place, ...valuesOf('mesh'), ...scaling])
  const available = '--for=jsonpath={.status.availableReplicas}=2'
  await cluster.kubectl(['wait', 'deployments', '--all', '-n=budget', available, '--timeout=120s'])
})

test('the command of helm test passes with a running server alone', async () => {
  await using coffer = await startCoffer()
  const script = readFileSync(join(chart, 'files/health-check.mjs'), 'utf8')
  const check = (url: string) =>
    attempt(node24, ['--input-type=module', '--eval', script], { env: { HEALTH_URL: url } })
  expect(await check(`${coffer.baseUrl}/api/health`)).toMatchObject({ code: 0, stderr: '' })
  const missing = await check(`${coffer.baseUrl}/api/missing`)
  expect(missing).toMatchObject({ code: 1, stdout: expect.stringMatching(/^404 /) })
})

test('the Job of the keys may create its Secret, and nothing else', async () => {
  const keys = join(cluster.directory, 'keys')
  const coffer = join(root, 'deploy/cli/src/coffer.ts')
  const env = { ...process.env, COFFER_KEYS_DIR: keys }
  await output(node24, [coffer, 'keys:create'], { env })
  const objects = await render([...valuesOf('mesh'), '--show-only', 'templates/keys.yaml'])
  await cluster.kubectl(['apply', '-n', 'keys', '-f', '-'], objects.replaceAll('budget', 'keys'))
  const account = join(cluster.directory, 'account')
  mkdirSync(account)
  const token = ['create', 'token', 'coffer-create-keys', '-n', 'keys']
  writeFileSync(join(account, 'token'), (await cluster.kubectl(token)).trim())
  writeFileSync(join(account, 'namespace'), 'keys')
  copyFileSync(cluster.caFile, join(account, 'ca.crt'))
  const create = () =>
    attempt(node24, [join(chart, 'files/create-secret.mjs')], {
      env: { API_SERVER: cluster.url, ACCOUNT_DIR: account, KEYS_DIR: keys, SECRET_NAME: 'made' },
    })
  expect(await create()).toMatchObject({ code: 0, stderr: '' })
  const made = JSON.parse(await cluster.kubectl(['get', 'secret', 'made', '-n', 'keys', '-o=json']))
  expect(Object.keys(made.data).sort()).toEqual(readdirSync(keys).sort())
  const key = readFileSync(join(keys, 'secrets.key'))
  expect(Buffer.from(made.data['secrets.key'], 'base64')).toEqual(key)
  // Argo CD runs the Job at each sync: it succeeds, and the keys in use stay.
  rmSync(join(keys, 'identity.key'))
  const again = { code: 0, stdout: 'the Secret made exists and is left as it is\n', stderr: '' }
  expect(await create()).toMatchObject(again)
  const kept = await cluster.kubectl(['get', 'secret', 'made', '-n', 'keys', '-o=json'])
  expect(JSON.parse(kept)).toEqual(made)
  const user = '--as=system:serviceaccount:keys:coffer-create-keys'
  for (const verb of ['get', 'list', 'update', 'patch', 'delete']) {
    const asked = await cluster.attemptKubectl(['auth', 'can-i', verb, 'secrets', user, '-n=keys'])
    expect(asked.stdout).toBe('no\n')
  }
})

/** Returns a value of the form of a setting that pods have from a Secret. */
function secretValue(name: string): string {
  if (name.endsWith('_DATABASE_URL')) return 'postgres://coffer:secret@postgres/coffer'
  return name === 'COFFER_SMTP_URL' ? 'smtps://name:secret@mail.example.com' : 'secret'
}

const component = 'app.kubernetes.io/component'

function partOf({ labels }: KubernetesObject['metadata']): string {
  return labels?.[component] ?? ''
}

/** Returns the objects of a type in the namespace of the release. */
async function items(type: string): Promise<KubernetesObject[]> {
  return JSON.parse(await cluster.kubectl(['get', type, '-n', 'budget', '-o=json'])).items
}

function evict(name = '') {
  const path = `/api/v1/namespaces/budget/pods/${name}/eviction`
  const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name } }
  return cluster.attemptKubectl(['create', '--raw', path, '-f', '-'], JSON.stringify(eviction))
}
