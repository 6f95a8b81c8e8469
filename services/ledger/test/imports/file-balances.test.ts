import { readFile } from 'node:fs/promises'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { booting } from '@coffer/host/testing/booting'
import { createHousehold, type Household } from '@coffer/host/testing/household'
import { say } from '@coffer/kit/reasons/reasons'
import { expect, test } from '@jest/globals'
import { strToU8, zipSync } from 'fflate'
import { ledger } from '../../src/service.ts'
import { auditing } from '../auditing.ts'
import { listed } from '../outcomes.ts'
import { partsOf } from './file-parts.ts'
import { importFile, opening, statementOf, undo } from './uploading.ts'

const booted = auditing(booting([ledger]))

async function setCurrent({ accounts, bankAccountId, as }: Household, currentBalance: bigint) {
  const updateMask = { paths: ['current_balance'] }
  await accounts.updateBankAccount({ bankAccountId, currentBalance, updateMask }, as)
}

const spent = 1250n

/** Returns midnight in Chicago of a day of January 2026. */
function dateOf(day: number) {
  return timestampFromDate(new Date(Date.UTC(2026, 0, day, 6)))
}

/** Creates a manual transaction of 12.50 that changes the balances. */
async function spend({ transactions, bankAccountId, as }: Household, day: number) {
  const date = dateOf(day)
  const lunch = { bankAccountId, name: 'Lunch', amount: spent, date, adjustsBalance: true }
  return (await transactions.createTransaction(lunch, as)).transaction?.transactionId ?? ''
}

/** The objects of one test case: a household, its manual transaction and the IDs of its uploads. */
type World = { home: Household; transactionId: string; uploads: string[] }

const file = statementOf({ '1': '-1.00' }, { ledger: '600.00', asOf: '20260117' })
const newRow = (balances: Parameters<typeof statementOf>[1]) =>
  statementOf({ '2': '-2.00' }, balances)

async function upload({ home, uploads }: World, text: string) {
  uploads.push((await importFile(home, text)).transactionUploadId)
}

function remove({ home, transactionId }: World, how: { soft: boolean; adjustsBalance: boolean }) {
  const { transactions, bankAccountId, as } = home
  return transactions.deleteTransaction({ bankAccountId, transactionId, ...how }, as)
}

/**
 * The steps in the table of docs/files.md#balances: a pattern that matches the name of the step,
 * and a function that executes it.
 */
const steps: [RegExp, (world: World, ...words: string[]) => Promise<unknown>][] = [
  [/^File$/, (world) => upload(world, file)],
  [/^new row without a balance$/, (world) => upload(world, newRow({}))],
  [
    /^new row with (\d+\.\d\d) without a date$/,
    (world, ledger) => upload(world, newRow({ ledger, asOf: null })),
  ],
  [
    /^new row with (\d+\.\d\d) for the (\d+)th$/,
    (world, ledger, day) => upload(world, newRow({ ledger, asOf: `202601${day}` })),
  ],
  [
    /^spend on the (\d+)th$/,
    async (world, day) => {
      world.transactionId = await spend(world.home, Number(day))
    },
  ],
  [
    /^date it the (\d+)th$/,
    ({ home, transactionId }, day) => {
      const { transactions, bankAccountId, as } = home
      const patch = { date: dateOf(Number(day)), updateMask: { paths: ['date'] } }
      return transactions.updateTransaction({ bankAccountId, transactionId, ...patch }, as)
    },
  ],
  [/^delete it$/, (world) => remove(world, { soft: true, adjustsBalance: false })],
  [/^delete it for good$/, (world) => remove(world, { soft: false, adjustsBalance: false })],
  [/^delete it with adjusting$/, (world) => remove(world, { soft: true, adjustsBalance: true })],
  [
    /^delete its row with adjusting$/,
    async ({ home }) => {
      const [row] = await listed(home)
      const world = { home, transactionId: row?.transactionId ?? '', uploads: [] }
      return remove(world, { soft: true, adjustsBalance: true })
    },
  ],
  [/^(\d+)\.00 by hand$/, ({ home }, amount) => setCurrent(home, BigInt(`${amount}00`))],
  [/^undo$/, ({ home, uploads }) => undo(home, uploads.at(-1) ?? '')],
  [/^undo the first$/, ({ home, uploads }) => undo(home, uploads[0] ?? '')],
]

/** Runs comma-separated steps on a new bank account. Returns its current balance in dollars. */
async function balanceAfter(words: string): Promise<string> {
  const [, day, rest = words] = /^opened for the (\d+)th, (.+)$/.exec(words) ?? []
  const balancesAsOf = day === undefined ? {} : { balancesAsOf: dateOf(Number(day)) }
  const world: World = {
    home: await createHousehold(booted, { ...opening, ...balancesAsOf }),
    transactionId: '',
    uploads: [],
  }
  for (const word of rest.split(', ')) {
    const [pattern, take] = steps.find(([one]) => one.test(word)) ?? []
    if (!pattern || !take) throw new Error(`no step is called ${word}`)
    await take(world, ...(pattern.exec(word)?.slice(1) ?? []))
  }
  const { current = 0n } = (await world.home.balances()) ?? {}
  return (Number(current) / 100).toFixed(2)
}

test('every case of the table in docs/files.md holds', async () => {
  const docs = await readFile(new URL('../../../../docs/files.md', import.meta.url), 'utf8')
  const cases = [...docs.matchAll(/^\| ([^|]+?) +\| (\d+\.\d\d) +\|/gm)]
  expect(cases.length).toBeGreaterThan(15)
  const seen = await Promise.all(
    cases.map(async ([, words = '']) => [words, await balanceAfter(words)]),
  )
  expect(seen).toEqual(cases.map(([, words, balance]) => [words, balance]))
})

// The numbers are days of January: of the file's ledger balance of 600.00, of its available balance
// of 580.00, and of a manual transaction of 12.50.
test.each([
  [17, 19, 16, { current: 60000n, available: 58000n }],
  [17, 19, 18, { current: 58750n, available: 58000n }],
  [17, 19, 20, { current: 58750n, available: 56750n }],
  [19, 17, 18, { current: 60000n, available: 56750n }],
])('balances of the %dth and the %dth get later bookings added: %d', async (...days) => {
  const [asOf, availableAsOf, booked, expected] = days
  const home = await createHousehold(booted, opening)
  await spend(home, booked)
  const balances = { ledger: '600.00', available: '580.00' }
  const dates = { asOf: `202601${asOf}`, availableAsOf: `202601${availableAsOf}` }
  const row = { '1': '-1.00' }
  const { transactionUploadId } = await importFile(
    home,
    statementOf(row, { ...balances, ...dates }),
  )
  expect(await home.balances()).toMatchObject(expected)
  await undo(home, transactionUploadId)
  expect(await home.balances()).toMatchObject({ current: 48750n, available: 38750n })
})

test('a file with the current balance alone moves the available one, an undo back', async () => {
  const home = await createHousehold(booted, opening)
  const { transactionUploadId } = await importFile(home, file)
  expect(await home.balances()).toMatchObject({ current: 60000n, available: 50000n })
  await undo(home, transactionUploadId)
  expect(await home.balances()).toMatchObject({ current: 50000n, available: 40000n })
})

test('undoing a file that sets no balance changes nothing', async () => {
  const home = await createHousehold(booted, opening)
  await importFile(home, file)
  await spend(home, 20)
  const before = await home.accounts.getBankAccount({ bankAccountId: home.bankAccountId }, home.as)
  const again = await importFile(home, file)
  expect(again).toMatchObject({ importedCount: 0n, skippedCount: 1n })
  await undo(home, again.transactionUploadId)
  const after = await home.accounts.getBankAccount({ bankAccountId: home.bankAccountId }, home.as)
  expect(after.bankAccount).toMatchObject({
    currentBalance: before.bankAccount?.currentBalance,
    availableBalance: before.bankAccount?.availableBalance,
    limitBalance: before.bankAccount?.limitBalance,
    lastUpdated: before.bankAccount?.lastUpdated,
  })
})

test('a preview says whether its balance is set', async () => {
  const home = await createHousehold(booted)
  const { uploads, bankAccountId, as } = home
  const setsBalances = async (asOf: string) => {
    const content = new TextEncoder().encode(newRow({ ledger: '700.00', asOf }))
    const parts = partsOf({ bankAccountId, name: 'a.ofx', content, preview: true })
    const preview = (await uploads.createUpload(parts, as)).upload?.preview
    expect(preview?.balancesAsOf).toBeDefined()
    return preview?.setsBalances
  }
  expect(await setsBalances('20260116')).toBe(true)
  await importFile(home, file)
  expect(await setsBalances('20260116')).toBe(false)
  expect(await setsBalances('20260118')).toBe(true)
})

test('a balance that is no amount is told in the preview and after the import', async () => {
  const home = await createHousehold(booted)
  const { uploads, bankAccountId, as } = home
  const note = say('BALANCE_UNREADABLE', { text: '1.2.3,4' })
  const text = statementOf({ '1': '-1.00' }, { ledger: '1.2.3,4' })
  const file = { name: 'a.ofx', content: new TextEncoder().encode(text) }
  const parts = partsOf({ bankAccountId, ...file, preview: true })
  const { upload: shown } = await uploads.createUpload(parts, as)
  expect(shown).toMatchObject({ status: 'preview', note, preview: { newCount: 1n } })
  expect(shown?.preview?.currentBalance).toBeUndefined()
  const done = await importFile(home, text)
  expect(done).toMatchObject({ status: 'complete', note, importedCount: 1n })
  const [found] = (await uploads.listUploads({ bankAccountId, limit: 1 }, as)).uploads
  expect(found?.note).toBe(note)
})

test('a file that may be cut says so', async () => {
  const home = await createHousehold(booted)
  const { uploads, bankAccountId, as } = home
  const archive = zipSync({ 'a.qif': strToU8('!Type:Bank\nD2026-01-31\nT-1.00\n') })
  for (const content of [strToU8('!Type:Bank\nD2026-01-31\nT-1.00\n'), archive]) {
    const parts = partsOf({ bankAccountId, name: 'a.qif', content, preview: true })
    expect((await uploads.createUpload(parts, as)).upload?.note).toBe(say('FILE_OPEN_ENDED'))
  }
})
