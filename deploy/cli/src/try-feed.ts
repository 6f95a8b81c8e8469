import { join } from 'node:path'
import type { Environment } from '@coffer/kit/service/config'
import { node24, nodeOptions, root } from '@coffer/local/bootstrap/paths.mjs'
import type { Progress } from '@coffer/local/bootstrap/progress.mjs'
import { machineConfig } from '@coffer/local/config'
import { requireFreePort } from '@coffer/local/ports'
import { type ServerProcess, startServerProcess, untilReady } from '@coffer/local/server-process'

const script = join(root, 'test/providers/try-feed.ts')
const apiKey = 'tryFeedKey'
const startTimeoutMs = 30_000

/** Returns the environment with settings that let feed links use the simulated provider. */
export function tryFeedEnvironment(environment: Environment): Environment {
  const allowed = [environment.COFFER_FEED_ALLOWED_URLS, urlOf(environment)].filter(Boolean)
  return {
    ...environment,
    COFFER_FEED_ENABLED: 'true',
    COFFER_FEED_ALLOWED_URLS: allowed.join(','),
  }
}

/**
 * Starts the simulated feed provider and prints how to link its bank accounts. Throws FatalError
 * when its port is in use, or it does not answer within 30 s.
 */
export async function startTryFeed(
  environment: Environment,
  log: Progress,
): Promise<ServerProcess> {
  const { dataDir, tryFeedPort: port } = machineConfig(environment)
  await requireFreePort({ port, server: 'the simulated feed', setting: 'COFFER_TRY_FEED_PORT' })
  const server = startServerProcess({
    name: 'try-feed',
    dataDir,
    command: node24,
    args: [...nodeOptions, script, String(port), apiKey, dataDir],
    stopSignal: 'SIGTERM',
  })
  const url = urlOf(environment)
  await untilReady({
    name: 'try-feed',
    server,
    timeoutMs: startTimeoutMs,
    probe: () => fetch(url),
  })
  log.say('try-feed', 'a bank to sync; when Coffer is ready, link it with:')
  log.say('', `npm run coffer -- feed:link --url ${url} --key ${apiKey}`)
  return server
}

function urlOf(environment: Environment): string {
  return `http://127.0.0.1:${machineConfig(environment).tryFeedPort}/api/v1`
}
