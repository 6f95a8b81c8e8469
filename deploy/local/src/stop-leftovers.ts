import { createProgress } from '../bootstrap/progress.mjs'
import { machineConfig } from './config.ts'
import { claimDataDirectory, isUnclaimed } from './data-directory.ts'
import { stopLeftovers } from './process-record.ts'
import { runScript } from './script.ts'

// Runs after `npm start` failed or was killed, because its servers are separate processes.
await runScript(async () => {
  const { dataDir } = machineConfig(process.env)
  if (!isUnclaimed(dataDir)) return 0
  const log = createProgress()
  await using claim = await claimDataDirectory(dataDir, { log })
  await stopLeftovers({ dataDir: claim.path, log })
  return 0
})
