import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from '@jest/globals'
import { startCoffer } from '../harness/coffer.ts'

const run = promisify(execFile)

test('the commands and the program of docs/api/clients.md list bank accounts', async () => {
  await using stack = new AsyncDisposableStack()
  const page = await readFile(new URL('../../docs/api/clients.md', import.meta.url), 'utf8')
  const [, commands = ''] = /```sh\n([^`]*)```/.exec(page) ?? []
  const [, program = ''] = /```python\n([^`]*)```/.exec(page) ?? []
  await run('python3', ['-c', 'import venv, ensurepip']).catch((error) => {
    throw new Error(
      'Python 3.10 or newer with venv and pip is missing: install the packages python3 and ' +
        `python3-venv of the system. ${error.message}`,
    )
  })
  const directory = await mkdtemp(join(tmpdir(), 'coffer-python-'))
  stack.defer(() => rm(directory, { recursive: true, force: true }))
  const coffer = stack.use(await startCoffer())
  const person = await coffer.person()
  await person.createBankAccount()
  const KEY = atob(person.authorization.slice('Basic '.length))
  const options = { cwd: directory, env: { ...process.env, COFFER: coffer.baseUrl, KEY } }
  await run('sh', ['-ec', commands], options).catch((error) => {
    throw new Error(`pip must reach a package index for this test. ${error.stderr}`)
  })
  await writeFile(join(directory, 'accounts.py'), program)
  const { stdout } = await run('venv/bin/python', ['accounts.py'], options)
  expect(stdout).toBe('Checking\n')
})
