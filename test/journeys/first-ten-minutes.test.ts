import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { scratchFolder } from '@coffer/host/testing/fixture/scratch'
import { started } from '@coffer/host/testing/started'
import { expect, test } from '@jest/globals'
import { startCoffer } from '../harness/coffer.ts'
import { clientOf } from '../harness/person.ts'

const guide = new URL('../../docs/api/first-ten-minutes.md', import.meta.url)

const coffer = started(() => startCoffer())

/**
 * Runs the shell commands of the guide, or its first `count` blocks. Returns the variables they
 * leave, and their output.
 */
async function runGuide(folder: string, count?: number): Promise<Record<string, string>> {
  const blocks = (await readFile(guide, 'utf8')).matchAll(/^```sh\n([\s\S]*?)^```/gm)
  const commands = [...blocks].map(([, block = '']) => block.trim()).slice(0, count)
  const whole = commands.join('\n\n')
  const script = whole.replace('http://localhost:4000', coffer.baseUrl)
  expect(script).not.toBe(whole)
  const names = ['KEY', 'ID', 'TXN', 'RENT', 'TRIP']
  const report = names.map((name) => `printf '\\n${name}=%s' "\${${name}-}"`).join('\n')
  const { stdout } = await promisify(execFile)(
    'bash',
    ['-euo', 'pipefail', '-c', `${script}\n${report}`],
    {
      cwd: folder,
      env: { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}` },
    },
  )
  const found = [...stdout.matchAll(/^([A-Z]+)=(\S+)$/gm)]
  return { ...Object.fromEntries(found.map(([, name, value]) => [name, value])), printed: stdout }
}

/** Runs the TypeScript of the page as a module beside this file's packages. */
async function runScript(folder: string, env: Record<string, string>): Promise<string> {
  const [, block = ''] = /^```ts\n([\s\S]*?)^```/m.exec(await readFile(guide, 'utf8')) ?? []
  const client = import.meta.resolve('@coffer/client')
  const script = block
    .replace('http://localhost:4000', coffer.baseUrl)
    .replace("'@coffer/client'", `'${client}'`)
  await writeFile(join(folder, 'script.ts'), script)
  const { stdout } = await promisify(execFile)(process.execPath, ['script.ts'], {
    cwd: folder,
    env: { ...process.env, ...env },
  })
  return stdout
}

test('the commands of the first ten minutes do what the page says', async () => {
  await using folder = await scratchFolder()
  const { KEY = '', ID = '', TXN = '', RENT, TRIP, printed } = await runGuide(folder.path)
  expect(printed).toContain('"code":"OBJECT_CHANGED"')
  expect(/[}\]][{[<]/.exec(printed ?? '')).toBeNull()
  const script = await runScript(folder.path, { KEY, ID, TXN })
  expect(script).toMatch(/^\d+ events until .+\nGrocer 5210\nRent 80000\n/)
  const client = clientOf(coffer.baseUrl, { key: KEY })
  const bank = { path: { bankAccountId: ID } }
  const notes = 'Shared with Grace, paid by Ada, thanks'
  expect((await client.listTransactions(bank)).data).toMatchObject([
    { name: 'Grocer', amount: 5_210, transactionId: TXN, notes },
    { name: 'Rent', amount: 80_000 },
    { name: 'Northfield Tools', amount: -150_000 },
    { name: 'Cafe Elan', amount: 475 },
    { name: 'Ferry cancelled', amount: -9_000, refundSpendingId: TRIP, refundAmount: 9_000 },
    { name: 'Ferry', amount: 9_000, spendingId: TRIP },
  ])
  expect((await client.listSpending(bank)).data).toMatchObject([
    { spendingId: RENT, spendingType: 'expense', currentAmount: 0 },
    { spendingId: TRIP, spendingType: 'goal', currentAmount: 20_000 },
    { name: 'Groceries', currentAmount: 0 },
  ])
  const balances = { available: 120_000, goals: 20_000, free: 100_000 }
  expect((await client.getBalances(bank)).data).toMatchObject(balances)
  expect(await readFile(join(folder.path, 'forecast.svg'), 'utf8')).toMatch(/^<svg /)
})

test('the commands begin again with an account of their own', async () => {
  await using folder = await scratchFolder()
  const [first, second] = [await runGuide(folder.path, 3), await runGuide(folder.path, 3)]
  expect(second.ID).toMatch(/^bac_/)
  expect(second.ID).not.toBe(first.ID)
})
