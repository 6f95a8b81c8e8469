import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from '@jest/globals'

const source = new URL('../src/', import.meta.url).href
// Prints the addresses of the modules that a process of all services loads before it is ready.
const script = `
  import { registerHooks } from 'node:module'
  const urls = []
  registerHooks({ load: (url, context, next) => (urls.push(url), next(url, context)) })
  await import('${source}commands/serve.ts')
  const { loadCode } = await import('${source}process/parts.ts')
  await loadCode()
  process.stdout.write(urls.join('\\n'), () => process.exit())
`

/** Large modules that are loaded when they are needed, by what needs them. */
const later = {
  'the choice of a password': '/@zxcvbn-ts/',
  'the demo': '/gateway/client/',
  'a file of a bank': /\/(saxes|fflate|htmlparser2|linkedom)\//,
  'a chart': '/@observablehq/',
  'an email': '/nodemailer/',
  'a subscription': '/stripe/',
  'a backup in a bucket, or keys in AWS': '/@aws-sdk/',
  'the workflows, when the process is ready': '/@temporalio/worker/',
}

test('a process loads no large module before it needs it', async () => {
  const flags = ['--input-type=module', '--disable-warning=ExperimentalWarning', '--eval', script]
  const options = { timeout: 60_000, maxBuffer: 10_000_000 }
  const { stdout } = await promisify(execFile)(process.execPath, flags, options)
  expect(stdout).toContain('/services/ledger/src/service.ts')
  for (const [need, path] of Object.entries(later)) {
    const loaded = stdout.split('\n').filter((url) => url.match(path))
    expect([need, loaded]).toEqual([need, []])
  }
})
