import { createProgress } from '../bootstrap/progress.mjs'
import { machineConfig } from './config.ts'
import { claimDataDirectory, isUnclaimed } from './data-directory.ts'
import { stopLeftovers } from './process-record.ts'
import { runScript } from './script.ts'

// Runs after an `npm start` that failed or was killed: its servers are processes of their own.
await runScript(async () => {
  const { dataDir } = machineConfig(process.env)
  if (!isUnclaimed(dataDir)) return 0
  const log = createProgress()
  await using claim = await claimDataDirectory(dataDir, { log })
  await stopLeftovers({ dataDir: claim.path, log })
  return 0
})
