import { type ChildProcess, spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { closeSync, globSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePorts } from '@coffer/local/ports'
import { attempt, binary, type Outcome, output } from './chart.ts'
import { toolDirectory } from './tools/install.ts'
import { controlPlane, etcd, helm, kwok } from './tools/tool-list.ts'

const startTimeoutMs = 120_000
const adminToken = 'admin'

/** Fields of Kubernetes' objects that tests read. */
export interface KubernetesObject {
  kind: string
  metadata: { name: string; creationTimestamp: string; labels?: Record<string, string> }
  spec: {
    replicas?: number
    template?: { spec: KubernetesObject['spec'] }
    nodeName?: string
    enableServiceLinks?: boolean
    automountServiceAccountToken?: boolean
    terminationGracePeriodSeconds?: number
    containers: { image: string; args: string[]; env: { name: string; value?: string }[] }[]
    ingress?: {
      ports: { port: string | number; protocol: string }[]
      from?: { podSelector?: { matchLabels: Record<string, string> } }[]
    }[]
  }
  status?: { readyReplicas?: number; succeeded?: number; completionTime?: string }
}

/** A control plane of Kubernetes on loopback, whose nodes and pods are fake. */
export interface Cluster extends AsyncDisposable {
  url: string
  /** File of the CA certificates of the API server. */
  caFile: string
  directory: string
  kubectl: (args: string[], input?: string) => Promise<string>
  attemptKubectl: (args: string[], input?: string) => Promise<Outcome>
  helm: (args: string[]) => Promise<string>
  /** Starts a command of kubectl that watches; `end` stops it and returns its output. */
  watch: (args: string[]) => { end: () => Promise<string> }
}

/** Starts a process that logs to a file of its name. */
type Start = (name: string, command: string, args: string[]) => void

/**
 * Starts etcd, the API server with its usual admission, the controllers, the scheduler, and kwok,
 * which reports nodes and pods as kubelets would. No container runs.
 */
export async function startCluster({ nodes }: { nodes: string[] }): Promise<Cluster> {
  await using opening = new AsyncDisposableStack()
  const directory = mkdtempSync(join(tmpdir(), 'coffer-cluster-'))
  opening.defer(() => rmSync(directory, { recursive: true, force: true }))
  const start: Start = (name, command, args) => {
    opening.use(startProcess({ name, command, args, directory }))
  }
  const ports = await freePorts(5)
  const url = `https://127.0.0.1:${ports[0]}`
  const caFile = join(directory, 'apiserver.crt')
  const files = writeFiles(directory, { url, caFile })
  startServer(start, { directory, ports, files })
  const config = `--kubeconfig=${files.kubeconfig}`
  const attemptKubectl: Cluster['attemptKubectl'] = (args, input = '') =>
    attempt(binary(controlPlane, 'kubectl'), [config, ...args], { input })
  await until(async () => (await attemptKubectl(['get', '--raw', '/readyz'])).code === 0)
  startControllers(start, { config, ports, accountKey: files.accountKey, caFile })
  const kubectl: Cluster['kubectl'] = (args, input = '') =>
    output(binary(controlPlane, 'kubectl'), [config, ...args], { input })
  await kubectl(['create', '-f', '-'], JSON.stringify({ ...list, items: nodes.map(fakeNode) }))
  await kubectl(['wait', '--for=condition=Ready', 'nodes', '--all', '--timeout=60s'])
  const open = opening.move()
  const env = { ...process.env, KUBECONFIG: files.kubeconfig, HELM_CACHE_HOME: directory }
  return {
    url,
    caFile,
    directory,
    kubectl,
    attemptKubectl,
    helm: (args) => output(binary(helm), args, { env }),
    watch: (args) => watchOutput(binary(controlPlane, 'kubectl'), [config, ...args, '--watch']),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

type Files = ReturnType<typeof writeFiles>

/** Starts etcd and the API server, which has its certificate in the directory. */
function startServer(
  start: Start,
  { directory, ports, files }: { directory: string; ports: number[]; files: Files },
): void {
  const [secure, client, peer] = ports
  const clientUrl = `http://127.0.0.1:${client}`
  const peerUrl = `http://127.0.0.1:${peer}`
  start('etcd', binary(etcd), [
    `--data-dir=${directory}/etcd`,
    `--listen-client-urls=${clientUrl}`,
    `--advertise-client-urls=${clientUrl}`,
    `--listen-peer-urls=${peerUrl}`,
    `--initial-advertise-peer-urls=${peerUrl}`,
    `--initial-cluster=default=${peerUrl}`,
    '--unsafe-no-fsync',
  ])
  start('kube-apiserver', binary(controlPlane, 'kube-apiserver'), [
    `--etcd-servers=${clientUrl}`,
    '--bind-address=127.0.0.1',
    '--advertise-address=127.0.0.1',
    '--endpoint-reconciler-type=none',
    `--secure-port=${secure}`,
    `--cert-dir=${directory}`,
    `--token-auth-file=${files.tokens}`,
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${files.accountKey}`,
    `--service-account-signing-key-file=${files.accountKey}`,
    '--authorization-mode=RBAC',
    '--service-cluster-ip-range=10.96.0.0/16',
  ])
}

/** Starts the controllers, the scheduler, and kwok in the place of kubelets. */
function startControllers(
  start: Start,
  options: { config: string; ports: number[]; accountKey: string; caFile: string },
): void {
  const { config, ports, accountKey, caFile } = options
  const common = [config, '--bind-address=127.0.0.1', '--leader-elect=false']
  start('kube-controller-manager', binary(controlPlane, 'kube-controller-manager'), [
    ...common,
    `--secure-port=${ports[3]}`,
    `--service-account-private-key-file=${accountKey}`,
    `--root-ca-file=${caFile}`,
  ])
  const scheduler = [...common, `--secure-port=${ports[4]}`]
  start('kube-scheduler', binary(controlPlane, 'kube-scheduler'), scheduler)
  const stages = ['node/fast', 'node/heartbeat-with-lease', 'pod/fast'].flatMap((path) =>
    globSync(join(toolDirectory(kwok), 'stage', path, '*.yaml')),
  )
  start('kwok', binary(kwok), [
    config,
    '--manage-all-nodes=true',
    '--node-lease-duration-seconds=40',
    ...stages
      .filter((file) => !file.endsWith('kustomization.yaml'))
      .map((file) => `--config=${file}`),
  ])
}

/** Starts a command that prints until it is stopped. */
function watchOutput(command: string, args: string[]): { end: () => Promise<string> } {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'ignore'] })
  const closed = once(child, 'close')
  let text = ''
  child.stdout.on('data', (chunk) => {
    text += chunk
  })
  return {
    end: async () => {
      child.kill()
      await closed
      return text
    },
  }
}

const list = { apiVersion: 'v1', kind: 'List' }

/** Node objects with room for all pods, each in a zone of its own. */
function fakeNode(name: string) {
  const room = { cpu: '32', memory: '64Gi', pods: '110', 'ephemeral-storage': '100Gi' }
  const labels = { 'kubernetes.io/hostname': name, 'topology.kubernetes.io/zone': `zone-${name}` }
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { ...labels, 'kubernetes.io/arch': 'amd64' } },
    status: { allocatable: room, capacity: room },
  }
}

/** Writes the administrator's token and configuration, and the key of service account tokens. */
function writeFiles(directory: string, { url, caFile }: { url: string; caFile: string }) {
  const write = (name: string, text: string) => {
    const path = join(directory, name)
    writeFileSync(path, text, { mode: 0o600 })
    return path
  }
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const kubeconfig = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'admin' } }],
    clusters: [{ name: 'test', cluster: { server: url, 'certificate-authority': caFile } }],
    users: [{ name: 'admin', user: { token: adminToken } }],
  }
  return {
    tokens: write('tokens.csv', `${adminToken},admin,admin,system:masters\n`),
    accountKey: write('account.key', `${privateKey.export({ type: 'pkcs8', format: 'pem' })}`),
    kubeconfig: write('kubeconfig.json', JSON.stringify(kubeconfig)),
  }
}

interface Command {
  name: string
  command: string
  args: string[]
  directory: string
}

/** Starts a process that logs to a file of its name. Disposing ends it. */
function startProcess({ name, command, args, directory }: Command): AsyncDisposable {
  const log = openSync(join(directory, `${name}.log`), 'w')
  const child: ChildProcess = spawn(command, args, {
    cwd: directory,
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  return {
    [Symbol.asyncDispose]: async () => {
      process.off('exit', kill)
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** Resolves once the condition holds; throws when it does not within two minutes. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + startTimeoutMs
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`waited for ${startTimeoutMs / 1000} s`)
    await sleep(200)
  }
}
