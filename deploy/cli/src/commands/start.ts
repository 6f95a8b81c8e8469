import { resolve } from 'node:path'
import { createProgress } from '@coffer/local/bootstrap/progress.mjs'
import { machineConfig } from '@coffer/local/config'
import { publishSettings } from '@coffer/local/data-directory'
import { aborted, runScript } from '@coffer/local/script'
import { startStack } from '@coffer/local/stack'
import { loadCode } from '../process/parts.ts'
import { keysDirOf } from '../settings/environment.ts'
import { readArguments, startEnvironment } from '../start/start-settings.ts'
import { startTryProvider } from '../start/try-provider.ts'
import { publishable } from './show.ts'

const given = readArguments(process.argv.slice(2))
await runScript(async (stop) => {
  const log = createProgress()
  const environment = startEnvironment(process.env, given)
  const { dataDir, ports } = machineConfig(environment)
  const { replicas } = given
  const starting = log.step('servers', 'starting Postgres, NATS and Temporal', () =>
    startStack({ dataDir, ports, log, env: process.env, isKept: true }),
  )
  // With replicas, child processes run the services. Without, this process runs all of them: it
  // loads their code while Postgres, NATS and Temporal start.
  const loading = replicas === null ? import('./serve.ts').then(loadCode) : null
  await using stack = await starting
  await loading
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
  const served = {
    ...settings,
    COFFER_DATABASE_URL: stack.databaseSocketUrl ?? stack.databaseUrl,
  }
  const died = Promise.race(deaths)
  const stopped = Promise.race([aborted(stop), died])
  if (replicas === null) {
    const { serveUntil } = await import('./serve.ts')
    await serveUntil(stopped, { names: [], migrate: true, demo: true }, served)
  } else {
    const { runMesh } = await import('../start/mesh.ts')
    await runMesh(stopped, { dataDir, environment: served, log, replicas })
  }
  if (!stop.aborted) throw (await died).error
  log.say('servers', 'stopping Postgres, NATS and Temporal')
  return 0
})
