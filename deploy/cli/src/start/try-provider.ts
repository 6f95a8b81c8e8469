import { join } from 'node:path'
import type { Environment } from '@coffer/host/settings'
import { node24, nodeOptions, root } from '@coffer/local/bootstrap/paths.mjs'
import type { Progress } from '@coffer/local/bootstrap/progress.mjs'
import { machineConfig } from '@coffer/local/config'
import { requireFreePort } from '@coffer/local/ports'
import { type ServerProcess, startServerProcess, untilReady } from '@coffer/local/server-process'
import { type TryProvider, urlOf } from './try-providers.ts'

const startTimeoutMs = 30_000

/**
 * Starts a simulated provider and prints how to link its bank accounts. Throws FatalError when its
 * port is in use, or it does not answer within 30 s.
 */
export async function startTryProvider(
  provider: TryProvider,
  environment: Environment,
  log: Progress,
): Promise<ServerProcess> {
  const { name, server: simulated, portSetting: setting } = provider
  const { dataDir } = machineConfig(environment)
  const port = provider.portOf(environment)
  await requireFreePort({ port, server: simulated, setting })
  const script = join(root, `test/providers/${name}.ts`)
  const server = startServerProcess({
    name,
    dataDir,
    command: node24,
    args: [...nodeOptions, script, String(port), dataDir, ...provider.argumentsOf(environment)],
    stopSignal: 'SIGTERM',
  })
  const url = urlOf(provider, environment)
  await untilReady({ name, server, timeoutMs: startTimeoutMs, probe: () => fetch(url) })
  log.say(name, 'a bank to sync; when Coffer is ready, link it with:')
  log.say('', `npm run coffer -- ${provider.linkCommandOf(url)}`)
  return server
}
