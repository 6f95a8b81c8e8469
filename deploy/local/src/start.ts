import { join } from 'node:path'
import { node24, root } from '../bootstrap/paths.mjs'
import { createProgress } from '../bootstrap/progress.mjs'
import { aborted, runScript } from './script.ts'
import { startServerProcess } from './server-process.ts'
import { settingsFrom } from './settings.ts'
import { startStack } from './stack.ts'

await runScript(async (stop) => {
  const log = createProgress()
  const { dataDir, ports } = settingsFrom(process.env)
  await using stack = await log.step('servers', 'starting Postgres, NATS and Temporal', () =>
    startStack({ dataDir, ports, log, env: process.env }),
  )
  const coffer = startServerProcess({
    name: 'coffer',
    dataDir,
    command: node24,
    args: [join(root, 'deploy/cli/src/coffer.ts'), 'serve', '--migrate', '--demo'],
    cwd: root,
    env: {
      ...process.env,
      COFFER_DATA_DIR: dataDir,
      COFFER_DATABASE_URL: stack.databaseUrl,
      COFFER_NATS_URL: stack.natsUrl,
      COFFER_TEMPORAL_ADDRESS: stack.temporalAddress,
    },
    stopSignal: 'SIGTERM',
    output: 'inherit',
  })
  const failure = await Promise.race([coffer.died, stack.died, aborted(stop)])
  await coffer.stop()
  if (failure !== undefined) {
    throw failure
  }
  log.say('servers', 'stopping Postgres, NATS and Temporal')
  return 0
})
