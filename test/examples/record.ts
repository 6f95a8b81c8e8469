// npm run examples: records the examples of the OpenAPI document anew.
import { createProgress } from '@coffer/local/bootstrap/progress.mjs'
import { runScript } from '@coffer/local/script'
import { withTestServers } from '@coffer/local/test-servers'

await runScript(async (stop) => {
  const environment = { COFFER_TEST_SEED: '1', COFFER_TEST_EXAMPLES: 'write' }
  const { failed } = await withTestServers({ log: createProgress(), stop }, (run) =>
    run(['test/examples/record.long.test.ts'], { ...process.env, ...environment }),
  )
  return failed === 0 ? 0 : 1
})
