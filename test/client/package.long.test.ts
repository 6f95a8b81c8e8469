import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Coffer, startCoffer } from '../harness/coffer.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')
const stack = new AsyncDisposableStack()
let coffer: Coffer
let directory: string
// Without the workspace's Node 24: the program runs under the Node.js of the machine, 20 or newer.
const path = (process.env.PATH ?? '').split(':').filter((one) => !one.includes('node_modules'))
const env = { ...process.env, PATH: path.join(':') }

const program = `
import { CofferError, createClient, followChanges, paginate } from '@coffer/client'
import type { Transaction } from '@coffer/client/types'

const [baseUrl = '', authorization = ''] = process.argv.slice(2)
const coffer = createClient({ baseUrl, key: atob(authorization.slice('Basic '.length)) })
const { data: accounts } = await coffer.listBankAccounts()
const path = { bankAccountId: accounts?.[0]?.bankAccountId ?? '' }
const body = { name: 'Rent', amount: 90_000, date: '2026-03-02T06:00:00Z' }
const { data } = await coffer.createTransaction({ path, body })
const made: Transaction = data.transaction
const names: (string | undefined)[] = []
for await (const { name } of paginate(coffer.listTransactions, { path })) names.push(name)
let changed = ''
const query = { types: 'transaction.created' }
for await (const { changes } of followChanges(coffer, { query, by: 'polls' })) {
  if (changes[0]) { changed = changes[0].objectId; break }
  void coffer.createTransaction({ path, body: { ...body, name: 'Lunch' } })
}
const nameless = { ...body, name: '' }
const refusal = await coffer.createTransaction({ path, body: nameless }).catch((error) => error)
const status = refusal instanceof CofferError ? refusal.status : 0
const hasChanged = changed.startsWith('txn_')
console.log(JSON.stringify({ amount: made.amount, names, hasChanged, status }))
`

beforeAll(async () => {
  coffer = stack.use(await startCoffer())
  directory = await mkdtemp(join(tmpdir(), 'coffer-client-'))
  stack.defer(() => rm(directory, { recursive: true, force: true }))
  await run(process.execPath, [join(root, 'gateway/client/build/package.ts')], { cwd: root })
  const built = join(root, 'gateway/client/.coffer/package')
  const packed = await run('npm', ['pack', '--pack-destination', directory], { cwd: built, env })
  const archive = packed.stdout.trim().split('\n').at(-1) ?? ''
  await writeFile(join(directory, 'package.json'), '{"private": true, "type": "module"}')
  const options = ['--offline', '--no-audit', '--no-fund']
  await run('npm', ['install', ...options, `./${archive}`], { cwd: directory, env })
})

afterAll(() => stack.disposeAsync())

test('a program compiles against the packed client, and runs under plain node', async () => {
  const { version } = process
  const node = (await run('node', ['--version'], { env })).stdout.trim()
  console.log(`The program runs under Node.js ${node}; the tests under ${version}.`)
  await writeFile(join(directory, 'program.ts'), program)
  await writeFile(join(directory, 'globals.d.ts'), 'declare const process: { argv: string[] }')
  const compiler = join(root, 'gateway/client/node_modules/.bin/tsc')
  const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess']
  const target = ['--target', 'es2022', '--module', 'nodenext']
  const files = ['program.ts', 'globals.d.ts']
  await run(compiler, [...strict, ...target, ...files], { cwd: directory }).catch((error) => {
    throw new Error(error.stdout)
  })
  const person = await coffer.person()
  await person.createBankAccount()
  const given = ['program.js', coffer.baseUrl, person.authorization]
  const { stdout } = await run('node', given, { cwd: directory, env })
  const installed = join(directory, 'node_modules/@coffer/client')
  const { license } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'))
  expect(license).toBe('UNLICENSED')
  expect(await readFile(join(installed, 'README.md'), 'utf8')).not.toContain('](.')
  expect(JSON.parse(stdout)).toEqual({
    amount: 90_000,
    names: ['Rent'],
    hasChanged: true,
    status: 400,
  })
})
