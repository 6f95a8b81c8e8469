import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from '@jest/globals'

const source = new URL('../../src/', import.meta.url).href
// Prints whether the library, which takes 70 MiB, was loaded before and after a client was opened.
const script = `
  import { createRequire } from 'node:module'
  const { cache } = createRequire('${source}')
  const isLoaded = () => Object.keys(cache).some((path) => /node_modules.(plaid|axios)/.test(path))
  await import('${source}service.ts')
  const { startAggregator } = await import('${source}provider/provider.service.ts')
  const { run } = await import('${source}provider/plaid-answer.worker.ts')
  const keys = { url: 'http://127.0.0.1:1', clientId: 'id', clientSecret: 'secret' }
  const rest = { countryCodes: [], redirectUri: null, itemCallsPerMinute: 50 }
  await using started = startAggregator({}, { ...keys, ...rest })
  run({ body: new Uint8Array(), kind: 'accountsGet' })
  const before = isLoaded()
  await started.open()
  console.log(before, isLoaded())
`

test('the library is loaded when the aggregator is opened, not before', async () => {
  const flags = ['--input-type=module', '--disable-warning=ExperimentalWarning', '--eval', script]
  const { stdout } = await promisify(execFile)(process.execPath, flags, { timeout: 60_000 })
  expect(stdout.trim()).toBe('false true')
})
