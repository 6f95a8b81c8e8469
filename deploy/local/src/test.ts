import { createProgress } from '../bootstrap/progress.mjs'
import { runChecks } from './checks.ts'
import { runScript } from './script.ts'
import { withTestServers } from './test-servers.ts'

await runScript(async (stop) => {
  const log = createProgress()
  const [checksFailed, tests] = await Promise.all([
    runChecks({ env: process.env, log, args: process.argv.slice(2) }),
    withTestServers({ log, stop }, (run) => run(process.argv.slice(2), process.env)),
  ])
  const failed = checksFailed + tests.failed
  console.log(`${tests.passed} passed, ${failed} failed`)
  return failed === 0 ? 0 : 1
})
