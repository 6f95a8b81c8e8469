import { join } from 'node:path'
import { node24, root } from '../bootstrap/paths.mjs'
import { createProgress } from '../bootstrap/progress.mjs'
import { publishAddresses } from './addresses.ts'
import { machineConfig } from './config.ts'
import { aborted, runScript } from './script.ts'
import { startServerProcess } from './server-process.ts'
import { startStack } from './stack.ts'

/** What a self-hoster's own machine may do that a public server may not. */
const defaults = {
  COFFER_ALLOW_SIGN_UP: 'true',
  COFFER_UPLOADS_ENABLED: 'true',
  COFFER_LOG_LEVEL: 'warn',
}

await runScript(async (stop) => {
  const log = createProgress()
  const { dataDir, ports } = machineConfig(process.env)
  await using stack = await log.step('servers', 'starting Postgres, NATS and Temporal', () =>
    startStack({ dataDir, ports, log, env: process.env }),
  )
  using _published = publishAddresses(dataDir, stack)
  const coffer = startServerProcess({
    name: 'coffer',
    dataDir,
    command: node24,
    args: [
      '--disable-warning=ExperimentalWarning',
      ...[join(root, 'deploy/cli/src/coffer.ts'), 'serve', '--migrate', '--demo'],
    ],
    cwd: root,
    env: {
      ...defaults,
      ...process.env,
      COFFER_DATA_DIR: dataDir,
      COFFER_DATABASE_URL: stack.databaseSocketUrl ?? stack.databaseUrl,
      COFFER_NATS_URL: stack.natsUrl,
      COFFER_TEMPORAL_ADDRESS: stack.temporalAddress,
    },
    stopSignal: 'SIGTERM',
    output: 'inherit',
  })
  const ended = coffer.died.then(({ code, error }) => {
    // With an exit code it has said itself what is wrong.
    return code ?? Promise.reject(error)
  })
  const broken = stack.died.then(({ error }) => Promise.reject(error))
  try {
    const code = await Promise.race([ended, broken, aborted(stop)])
    if (code !== undefined) {
      return code
    }
  } finally {
    await coffer.stop()
  }
  log.say('servers', 'stopping Postgres, NATS and Temporal')
  return 0
})
