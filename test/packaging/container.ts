import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isSocket } from '@coffer/host/database/tls'
import { eventually } from '@coffer/host/testing/boot'
import { podman, tryPodman } from './engine.ts'

/** A running container with a read-only root and no capabilities. Disposing removes it. */
export interface Container extends AsyncDisposable {
  /** Waits until the process on this RPC port is ready. */
  ready: (rpcPort: string) => Promise<void>
  /** Runs a command in the container. */
  exec: (...words: string[]) => Promise<{ code: number; output: string }>
  /** Runs its health check; returns whether it is healthy. */
  isHealthy: () => Promise<boolean>
  /** Sends SIGTERM. */
  stop: () => Promise<void>
  /** Waits for its end; returns the exit code. */
  ended: () => Promise<number>
  output: () => Promise<string>
  /** Resources of its cgroup since its start. */
  usage: () => Usage
}

export interface Usage {
  cpuSeconds: number
  /** Largest memory in bytes, page cache included. */
  memoryMax: number
}

export interface ContainerOptions {
  image: string
  /** Folder that is mounted at /data. */
  data: string
  memory: string
  settings: Record<string, string>
  words: string[]
}

/**
 * Returns these settings for a container, whose network is that of the host, but not its files:
 * URLs of Postgres over a Unix socket become those of its port on 127.0.0.1.
 */
export function settingsInside(settings: Record<string, string>): Record<string, string> {
  const inside = ([name, value]: [string, string]) => {
    if (!name.endsWith('_DATABASE_URL')) return [name, value]
    const url = new URL(value)
    if (isSocket(url)) url.hostname = '127.0.0.1'
    return [name, url.href]
  }
  return Object.fromEntries(Object.entries(settings).map(inside))
}

/** Starts a container on the network of the host. */
export async function startContainer(options: ContainerOptions): Promise<Container> {
  const { image, data, memory, words } = options
  const settings = settingsInside(options.settings)
  const name = `coffer-${randomUUID()}`
  const limits = ['--read-only', '--tmpfs', '/tmp', '--cap-drop', 'all', '--memory', memory]
  const safety = ['--security-opt', 'no-new-privileges', '--health-interval', 'disable']
  const variables = Object.entries(settings).flatMap(([key, value]) => ['--env', `${key}=${value}`])
  const place = ['--network', 'host', '--volume', `${data}:/data`]
  const id = ['--detach', '--name', name]
  await podman('run', ...id, ...limits, ...safety, ...place, ...variables, image, ...words)
  const pid = (await podman('inspect', '--format', '{{.State.Pid}}', name)).trim()
  const cgroup = cgroupOf(pid)
  return {
    ready: async (rpcPort) => {
      const isReady = async () => {
        const answer = await fetch(`http://127.0.0.1:${rpcPort}/readyz`).catch(() => null)
        return answer?.status === 200
      }
      await eventually(isReady, Boolean, 60_000).catch(async () => {
        throw new Error(`not ready:\n${(await tryPodman('logs', name)).output.slice(-4_000)}`)
      })
    },
    exec: (...command) => tryPodman('exec', name, ...command),
    isHealthy: async () => (await tryPodman('healthcheck', 'run', name)).code === 0,
    stop: async () => {
      await podman('kill', '--signal', 'TERM', name)
    },
    ended: async () => Number(await podman('wait', name)),
    output: async () => (await tryPodman('logs', name)).output,
    usage: () => usageOf(cgroup),
    [Symbol.asyncDispose]: async () => {
      await podman('rm', '--force', '--time', '0', name)
    },
  }
}

/** Folders of a process's cgroup: one for version 2, one for each controller of version 1. */
interface Cgroup {
  cpu: string
  memory: string
}

function cgroupOf(pid: string): Cgroup {
  const lines = readFileSync(`/proc/${pid}/cgroup`, 'utf8').trim().split('\n')
  const folder = (controller: string) => {
    const line = lines.find((one) => one.split(':')[1]?.split(',').includes(controller))
    if (line !== undefined) return join('/sys/fs/cgroup', controller, line.split(':')[2] ?? '')
    return join('/sys/fs/cgroup', lines[0]?.split(':')[2] ?? '')
  }
  return { cpu: folder('cpuacct'), memory: folder('memory') }
}

function usageOf({ cpu, memory }: Cgroup): Usage {
  const nanoseconds = numberIn(join(cpu, 'cpuacct.usage'))
  return {
    cpuSeconds: (nanoseconds ?? 1_000 * (numberIn(join(cpu, 'cpu.stat')) ?? 0)) / 1e9,
    memoryMax:
      numberIn(join(memory, 'memory.max_usage_in_bytes')) ??
      numberIn(join(memory, 'memory.peak')) ??
      0,
  }
}

/** Returns the first number of a file, which may follow a name; null if the file is missing. */
function numberIn(path: string): number | null {
  try {
    return Number(/\d+/.exec(readFileSync(path, 'utf8'))?.[0])
  } catch {
    return null
  }
}
