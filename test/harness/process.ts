import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { deployment } from '@coffer/cli/testing/deployment'
import { runHere } from '@coffer/cli/testing/run-here'
import { eventually } from '@coffer/host/testing/boot'
import { startProxy, type TcpProxy } from '@coffer/kit/testing/proxy'
import { freePorts } from '@coffer/local/ports'
import { call } from './person.ts'

const command = fileURLToPath(new URL('../../deploy/cli/src/coffer.ts', import.meta.url))

/** The command `coffer` of one version: its Node, and the file that Node runs. */
export interface Program {
  node: string
  entry: string
}

/** The command of the files that are tested. */
export const ownProgram: Program = { node: process.execPath, entry: command }

/** A deployment of Coffer whose processes a test starts and kills. */
export interface Deployment extends AsyncDisposable {
  baseUrl: string
  /** Address of the health checks of the process of `start`. */
  rpcUrl: string
  databaseUrl: string
  /** Prefix of the deployment's NATS subjects, Temporal task queues and workflow IDs. */
  prefix: string
  /** Returns the standard output and error of all processes so far. */
  output: () => string
  /** TCP proxy between the processes and their database. */
  database: TcpProxy
  /** Starts `coffer serve` and waits until it is healthy. */
  start: () => Promise<void>
  /** Prepares a process for some of the services, with ports of its own. Starts no process. */
  part: (...names: string[]) => Promise<Part>
  /** Starts a second process on the same database, with ports of its own. */
  startBeside: () => Promise<{ baseUrl: string }>
  /** Kills the process of `start` with SIGKILL, and waits for its end. */
  kill: () => Promise<void>
  /** Directory with the encryption keys and the uploaded files. */
  dataDir: string
  /** Runs another `coffer` command for this deployment, within the test's process. */
  run: (...words: string[]) => Promise<{ code: number | null; output: string }>
  /** Starts a `coffer` command in a process, and kills it with SIGKILL when `isSo` resolves. */
  runUntil: (isSo: () => Promise<void>, ...words: string[]) => Promise<void>
}

/** A process that serves a part of Coffer, on the same ports after each start. */
export interface Part {
  /** Address of the process for calls of other processes. */
  url: string
  /** Address of its REST API, if it has the gateway. */
  baseUrl: string
  /**
   * Starts the process and waits until it is ready, or until it says why it is not (`isReady`
   * false); `settings` are added to the deployment's. Runs `program`, by default this version.
   */
  start: (
    settings: Record<string, string>,
    options?: { isReady?: boolean; program?: Program },
  ) => Promise<void>
  /** Stops the process with SIGSTOP: its connections stay open, and it answers nothing. */
  pause: () => void
  resume: () => void
  /** Kills the process with SIGKILL, and waits for its end. */
  kill: () => Promise<void>
  /** Sends SIGTERM, and waits for the end of the process. Returns its exit code. */
  stop: () => Promise<number | null>
}

/** Runs `coffer serve` for services of these names, by default all; waits until it is ready. */
type Run = (
  isReady: () => Promise<boolean>,
  of?: { names?: string[]; more?: Record<string, string>; program?: Program },
) => Promise<ChildProcess>

const outputMax = 4_000

/** Creates a deployment with its own database, prefix and data directory. Starts no process. */
export async function deploy(environment: Record<string, string> = {}): Promise<Deployment> {
  const stack = new AsyncDisposableStack()
  const { env: settings, databaseUrl, baseUrl } = stack.use(await deployment())
  const database = stack.use(await startProxy(databaseUrl))
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: process.env.HOME ?? '',
    ...settings,
    COFFER_DATABASE_URL: database.url,
    ...environment,
  }
  let child: ChildProcess | null = null
  let written = ''
  const kill = async () => {
    if (child) await end(child)
  }
  stack.defer(kill)
  const run: Run = async (isReady, { names = [], more = {}, program = ownProgram } = {}) => {
    const { node, entry } = program
    const server = spawn(node, [entry, 'serve', ...names], { env: { ...env, ...more } })
    for (const stream of [server.stdout, server.stderr]) {
      stream.on('data', (text) => {
        written += text
      })
    }
    stack.defer(() => end(server))
    const ended = once(server, 'exit').then(([code]) => Promise.reject(new Error(`exit ${code}`)))
    await Promise.race([eventually(isReady, Boolean, 90_000), ended]).catch((error) => {
      throw new Error(`not started (${error.message}):\n${written.slice(-outputMax)}`)
    })
    return server
  }
  const begin = (words: string[]) => spawn(process.execPath, [command, ...words], { env })
  return {
    baseUrl,
    rpcUrl: `http://127.0.0.1:${settings.COFFER_RPC_PORT}`,
    databaseUrl,
    prefix: settings.COFFER_PREFIX ?? '',
    output: () => written,
    database,
    start: async () => {
      child = await run(() => isHealthy(baseUrl))
    },
    part: (...names) => createPart(names, run),
    startBeside: async () => {
      const ports = await portSettings()
      const beside = `http://127.0.0.1:${ports.COFFER_PORT}`
      await run(() => isHealthy(beside), { more: ports })
      return { baseUrl: beside }
    },
    kill,
    dataDir: settings.COFFER_DATA_DIR ?? '',
    runUntil: async (isSo, ...words) => {
      const running = begin(words)
      await isSo()
      running.kill('SIGKILL')
      await once(running, 'exit')
    },
    run: async (...words) => {
      const { code, stdout, stderr } = await runHere(words, env)
      return { code, output: stdout + stderr }
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

async function createPart(names: string[], run: Run): Promise<Part> {
  const ports = await portSettings()
  const url = `http://127.0.0.1:${ports.COFFER_RPC_PORT}`
  let running: ChildProcess | null = null
  return {
    url,
    baseUrl: `http://127.0.0.1:${ports.COFFER_PORT}`,
    start: async (given, { isReady: isExpected = true, program = ownProgram } = {}) => {
      const status = isExpected ? 200 : 503
      const more = { ...ports, ...given }
      running = await run(() => isReady(url, status), { names, more, program })
    },
    pause: () => running?.kill('SIGSTOP'),
    resume: () => running?.kill('SIGCONT'),
    kill: async () => {
      if (running) await end(running)
    },
    stop: async () => {
      if (!running) return null
      running.kill('SIGTERM')
      if (running.exitCode === null && running.signalCode === null) await once(running, 'exit')
      return running.exitCode
    },
  }
}

/** Returns settings with free ports. */
async function portSettings() {
  const [port, rpcPort, grpcPort] = await freePorts(3)
  return {
    COFFER_PORT: String(port),
    COFFER_RPC_PORT: String(rpcPort),
    COFFER_GRPC_PORT: String(grpcPort),
  }
}

/** Returns whether a process with the gateway and all services is healthy. */
async function isHealthy(url: string): Promise<boolean> {
  const answer = await call(url, 'GET', '/health').catch(() => null)
  return answer?.status === 200
}

/** Returns whether a process with some services, or the gateway, is ready (200) or not (503). */
async function isReady(url: string, status: number): Promise<boolean> {
  const answer = await fetch(`${url}/readyz`).catch(() => null)
  return answer?.status === status
}

async function end(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return
  server.kill('SIGKILL')
  await once(server, 'exit')
}
