import { resolve } from 'node:path'
import type { Environment } from '@coffer/host/settings'
import { createProgress } from '@coffer/local/bootstrap/progress.mjs'
import { machineConfig } from '@coffer/local/config'
import { publishSettings } from '@coffer/local/data-directory'
import { aborted, runScript } from '@coffer/local/script'
import { startServerProcess } from '@coffer/local/server-process'
import { startStack } from '@coffer/local/stack'
import { keysDirOf } from '../settings/environment.ts'
import { commandOf, startMesh } from '../start/mesh.ts'
import { readArguments, startEnvironment } from '../start/start-settings.ts'
import { startTryProvider } from '../start/try-provider.ts'
import { publishable } from './show.ts'

const given = readArguments(process.argv.slice(2))
await runScript(async (stop) => {
  const log = createProgress()
  const environment = startEnvironment(process.env, given)
  const { dataDir, ports } = machineConfig(environment)
  await using stack = await log.step('servers', 'starting Postgres, NATS and Temporal', () =>
    startStack({ dataDir, ports, log, env: process.env, isKept: true }),
  )
  const settings = {
    ...environment,
    COFFER_DATA_DIR: dataDir,
    COFFER_KEYS_DIR: resolve(keysDirOf(environment)),
    COFFER_DATABASE_URL: stack.databaseUrl,
    COFFER_NATS_URL: stack.natsUrl,
    COFFER_TEMPORAL_ADDRESS: stack.temporalAddress,
  }
  using _published = publishSettings(dataDir, publishable(settings))
  await using simulated = new AsyncDisposableStack()
  const deaths = [stack.died]
  for (const provider of given.providers) {
    const server = await startTryProvider(provider, environment, log)
    simulated.defer(() => server.stop())
    deaths.push(server.died)
  }
  const run = {
    dataDir,
    environment: {
      ...settings,
      COFFER_DATABASE_URL: stack.databaseSocketUrl ?? stack.databaseUrl,
    },
    log,
  }
  const { replicas } = given
  const coffer = replicas === null ? startProcess(run) : startMesh({ ...run, replicas })
  const broken = Promise.race(deaths).then(({ error }) => Promise.reject(error))
  try {
    const code = await Promise.race([coffer.ended, broken, aborted(stop)])
    if (code !== undefined) return code
  } finally {
    await coffer.stop()
  }
  log.say('servers', 'stopping Postgres, NATS and Temporal')
  return 0
})

/** Starts one process with the gateway and all services. */
function startProcess(options: { dataDir: string; environment: Environment }) {
  const server = startServerProcess({
    ...commandOf(options, 'coffer', ['serve', '--migrate', '--demo']),
    output: 'inherit',
  })
  const ended = server.died.then(({ code, error }) => {
    // A process that exited with a code has already printed its error.
    return code ?? Promise.reject(error)
  })
  return { ended, stop: () => server.stop() }
}
