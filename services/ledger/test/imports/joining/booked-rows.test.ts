import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { booting } from '@coffer/host/testing/booting'
import { createHousehold, type Household } from '@coffer/host/testing/household'
import { newId } from '@coffer/kit/values/id'
import { beforeAll, expect, test } from '@jest/globals'
import { ledger } from '../../../src/service.ts'
import { auditing } from '../../auditing.ts'
import { listed } from '../../outcomes.ts'
import { headers, importing } from '../importing.ts'
import { opening, undo } from '../uploading.ts'

const booted = auditing(booting([ledger]))
let steps: ReturnType<typeof importing>

beforeAll(() => {
  steps = importing(booted)
})

const file = (...rows: string[]) => new TextEncoder().encode([headers, ...rows, ''].join('\n'))
const row = (state: string, amount = '-10.00', day = '10') =>
  `x1,01/${day}/2026,Grocer ${day},,${amount},,${state}`

const tipped = file(row('Posted', '-12.00', '12'))

function dateOf(day: number) {
  return timestampFromDate(new Date(Date.UTC(2026, 0, day, 6)))
}

/** Imports a CSV file, by a mapping that tells posted rows or by the words of states. */
async function store(home: Household, content: Uint8Array, changes: object) {
  const { bankAccountId, as } = home
  const { transactionImportId } = await steps.createImport(home, content)
  const transactionImportMappingId = await steps.createMapping(home, changes)
  const key = { bankAccountId, transactionImportId }
  const previewing = { ...key, transactionImportMappingId, status: 'pending-preview' }
  await steps.imports.updateImport(previewing, as)
  const { preview } = await steps.reached(home, transactionImportId, ['preview'])
  await steps.imports.updateImport({ ...key, status: 'pending-processing' }, as)
  const ended = await steps.reached(home, transactionImportId, ['complete', 'failed'])
  const { importedCount = 0n, joinedCount = 0n, knownCount = 0n } = ended
  const counts = [importedCount, joinedCount, knownCount].map(Number)
  const { effect, booksPending } = preview?.rows[0] ?? {}
  return { ...ended, effect, booksPending, counts }
}

test.each([
  ['a column', {}, '10'],
  ['words of states', { posted: undefined }, '12'],
])('by %s a posted row books its pending one, until the undo', async (_, changes, day) => {
  const home = await createHousehold(booted, opening)
  const first = await store(home, file(row('Pending')), changes)
  expect(await listed(home)).toMatchObject([{ isPending: true }])
  const booked = file(row('Posted', '-10.00', day))
  const second = await store(home, booked, changes)
  expect([second.effect, second.counts]).toEqual(['posts the pending transaction', [0, 1, 0]])
  expect([first, second].map((one) => one.booksPending)).toEqual([false, true])
  expect(await listed(home)).toMatchObject([{ isPending: false, name: 'Grocer 10' }])
  const third = await store(home, booked, changes)
  expect([third.effect, third.counts]).toEqual(['left out: stored already', [0, 0, 1]])
  expect(third.booksPending).toBe(false)
  await undo(home, third.transactionUploadId!)
  expect(await listed(home)).toMatchObject([{ isPending: false }])
  await undo(home, second.transactionUploadId!)
  expect(await listed(home)).toMatchObject([{ isPending: true }])
  const last = await store(home, booked, changes)
  expect(await listed(home)).toMatchObject([{ isPending: false }])
  // The row that posts the transaction keeps it, until its own undo.
  await undo(home, first.transactionUploadId!)
  expect(await listed(home)).toMatchObject([{ isPending: false }])
  expect((await store(home, booked, changes)).counts).toEqual([0, 0, 1])
  await undo(home, last.transactionUploadId!)
  expect(await listed(home)).toEqual([])
})

test('a pending row, or one of the other direction, books nothing', async () => {
  const home = await createHousehold(booted, opening)
  await store(home, file(row('Pending')), {})
  expect((await store(home, file(row('Pending', '-10.00', '11')), {})).counts).toEqual([0, 0, 1])
  expect((await store(home, file(row('Posted', '12.00')), {})).counts).toEqual([0, 0, 1])
  expect(await listed(home)).toMatchObject([{ isPending: true, amount: 1000n }])
})

test('a row with a tip books its pending one, which keeps what its user has set', async () => {
  const home = await createHousehold(booted, opening)
  await store(home, file(row('Pending')), {})
  const { envelopes, transactions, bankAccountId, as } = home
  const spendingId = newId('spnd')
  await envelopes.openEnvelope({ bankAccountId, spendingId, spendingType: 'expense' }, as)
  await envelopes.transfer({ bankAccountId, toSpendingId: spendingId, amount: 1100n }, as)
  const [{ transactionId } = { transactionId: '' }] = await listed(home)
  const edited = { name: 'Dinner', notes: 'shared', spendingId }
  const change = (fields: object) => {
    const updateMask = {
      paths: Object.keys(fields).map((key) => (key === 'spendingId' ? 'spending_id' : key)),
    }
    return transactions.updateTransaction(
      { bankAccountId, transactionId, ...fields, updateMask },
      as,
    )
  }
  await change(edited)
  const before = await listed(home)
  expect(before).toMatchObject([{ ...edited, spendingAmount: 1000n }])
  const { transactionUploadId = '', ...second } = await store(home, tipped, {})
  expect([second.effect, second.counts]).toEqual(['posts the pending transaction', [0, 1, 0]])
  const posted = { isPending: false, amount: 1200n, spendingAmount: 1100n, date: dateOf(12) }
  expect(await listed(home)).toMatchObject([{ ...edited, ...posted }])
  await undo(home, transactionUploadId)
  expect(await listed(home)).toEqual(before)
  // An amount that its user states since stays.
  const third = await store(home, tipped, {})
  await change({ amount: 1300n })
  await undo(home, third.transactionUploadId!)
  const kept = { isPending: true, amount: 1300n, spendingAmount: 1100n, date: dateOf(10) }
  expect(await listed(home)).toMatchObject([{ ...edited, ...kept }])
})

test('the balance of a file that only books a pending row is set', async () => {
  const home = await createHousehold(booted, opening)
  await store(home, file(row('Pending')), {})
  const second = await store(home, file(row('Posted').replace(',,P', ',480.00,P')), {})
  expect([second.preview?.setsBalances, await home.balances()]).toMatchObject([
    true,
    { current: 48000n },
  ])
})
