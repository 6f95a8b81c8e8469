import { createProgress } from '../bootstrap/progress.mjs'
import { runChecks } from './checks.ts'
import { runScript } from './script.ts'

await runScript(async () => {
  const failed = await runChecks({ env: process.env, log: createProgress() })
  return failed === 0 ? 0 : 1
})
