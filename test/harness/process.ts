import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { deployment } from '@coffer/cli/testing/deployment'
import { eventually } from '@coffer/kit/testing/boot'
import { openProxy, type TcpProxy } from '@coffer/kit/testing/proxy'
import { call } from './person.ts'

const command = fileURLToPath(new URL('../../deploy/cli/src/coffer.ts', import.meta.url))

/** A deployment of Coffer whose processes a test may start, kill and start again. */
export interface Deployment extends AsyncDisposable {
  baseUrl: string
  databaseUrl: string
  /** Goes before its subjects, queues and workflows. */
  prefix: string
  /** What its processes have written so far. */
  output: () => string
  /** The line between the processes and their database. */
  database: TcpProxy
  /** Starts `coffer serve` and waits until it is healthy. */
  start: () => Promise<void>
  /** Ends it as a power cut would. */
  kill: () => Promise<void>
  /** Runs another command of `coffer` against the same deployment. */
  run: (...words: string[]) => Promise<{ code: number | null; output: string }>
}

/** A deployment on its own database, prefix and folder; `environment` overrides its settings. */
export async function deploy(environment: Record<string, string> = {}): Promise<Deployment> {
  const stack = new AsyncDisposableStack()
  const { env: settings, databaseUrl, baseUrl } = stack.use(await deployment())
  const database = stack.use(await openProxy(databaseUrl))
  const env = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    ...settings,
    COFFER_DATABASE_URL: database.url,
    ...environment,
  }
  let child: ChildProcess | null = null
  let written = ''
  const kill = async () => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  stack.defer(kill)
  return {
    baseUrl,
    databaseUrl,
    prefix: settings.COFFER_PREFIX ?? '',
    output: () => written,
    database,
    start: async () => {
      child = spawn(process.execPath, [command, 'serve'], { env })
      for (const stream of [child.stdout, child.stderr]) {
        stream?.on('data', (text) => {
          written += text
        })
      }
      const health = () => call(baseUrl, 'GET', '/health').catch(() => null)
      await eventually(health, (answer) => answer?.status === 200, 90_000)
    },
    kill,
    run: async (...words) => {
      const running = spawn(process.execPath, [command, ...words], { env })
      let output = ''
      running.stdout.on('data', (text) => {
        output += text
      })
      running.stderr.on('data', (text) => {
        output += text
      })
      const [code] = await once(running, 'exit')
      return { code, output }
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}
