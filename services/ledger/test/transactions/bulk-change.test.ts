import type { MessageInitShape } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { booting } from '@coffer/host/testing/booting'
import { headers } from '@coffer/kit/rpc/rpc'
import { newId } from '@coffer/kit/values/id'
import {
  BulkChangeService,
  type ChangedTransaction,
  type ChangeTransactionsRequestSchema,
} from '@coffer/proto/ledger/v1/bulk_change'
import { expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { z } from 'zod'
import { ledger } from '../../src/service.ts'
import { auditing } from '../auditing.ts'
import { createFundedHousehold } from '../funded-household.ts'
import { neighbours } from '../neighbours.ts'
import { problems, refusals } from '../outcomes.ts'
import { runSweep } from '../tenancy/sweeping.ts'

const booted = auditing(booting([ledger, ...neighbours()]))

type Request = Omit<MessageInitShape<typeof ChangeTransactionsRequestSchema>, '$typeName'>

const date = timestampFromDate(new Date('2026-03-02T00:00:00Z'))

/** Creates a household with a bill of 20,000, one of 15,000 and a deposit; all adjust balances. */
async function withBills({ isPending = false } = {}) {
  const home = await createFundedHousehold(booted)
  const { as, bankAccountId, transactions, accounts, envelopes } = home
  const bulk = booted.client('ledger', BulkChangeService)
  const amounts = [20_000n, 15_000n, -500n]
  const bill = { name: 'Bill', date, adjustsBalance: true, isPending }
  const bills = amounts.map((amount) => ({ ...bill, amount }))
  const created = await transactions.createTransactions({ bankAccountId, transactions: bills }, as)
  const ids = created.results.map(({ result }) => {
    return result.case === 'transaction' ? result.value.transactionId : ''
  })
  const rows = async () => {
    const all = ids.map((transactionId) =>
      transactions.getTransaction({ bankAccountId, transactionId }, as),
    )
    return (await Promise.all(all)).map(({ transaction }) => transaction)
  }
  return {
    ...home,
    ids,
    rows,
    change: (request: Request, options = as) =>
      bulk.changeTransactions({ bankAccountId, ...request }, options),
    undo: (operationId = '', options = as) => bulk.undoOperation({ operationId }, options),
    /** Everything that an undo restores: rows, balances and envelopes without their versions. */
    state: async () => {
      const { balances } = await accounts.getBalances({ bankAccountId }, as)
      const listed = await envelopes.listEnvelopes({ bankAccountId }, as)
      const held = listed.envelopes.map((one) => [one.currentAmount, one.usedAmount])
      return { rows: await rows(), balances, held }
    },
  }
}

const outcomesOf = ({ results }: { results: ChangedTransaction[] }) =>
  results.map(({ result }) => (result.case === 'refused' ? result.value.error : result.case))

const paths = (...names: string[]) => ({ updateMask: { paths: names } })

test('each kind of change is one commit with a result each, and is undone as one', async () => {
  const home = await withBills()
  const { ids, expense, goal } = home
  const set = { spendingId: expense, name: 'Rent', notes: 'x', ...paths('spending_id', 'notes') }
  const named = { ...set, updateMask: { paths: ['spending_id', 'name', 'notes'] } }
  const moved = { ...named, spendingId: goal }
  const refund = { refundSpendingId: goal, ...paths('refund_spending_id') }
  const deposit = 'Invalid request'
  const table: [Request, unknown[], bigint[]][] = [
    [
      { items: [...ids, newId('txn')], set: named },
      ['transaction', 'transaction', deposit, deposit],
      [0n, 40_000n],
    ],
    [{ items: ids.slice(0, 2), set: moved }, ['transaction', 'transaction'], [30_000n, 5_000n]],
    [
      { filter: { free: true }, delete: { adjustsBalance: true } },
      ['transaction'],
      [30_000n, 5_000n],
    ],
    [{ filter: { deleted: true }, restore: {} }, ['transaction'], [30_000n, 5_000n]],
    [{ items: ids.slice(2), set: refund }, ['transaction'], [30_000n, 5_500n]],
    [
      { items: ids.toReversed(), delete: { adjustsBalance: true } },
      Array(3).fill('transaction'),
      [30_000n, 40_000n],
    ],
    [{ items: ids.toReversed(), restore: {} }, Array(3).fill('transaction'), [30_000n, 5_500n]],
    [{ items: ids, delete: {} }, Array(3).fill('transaction'), [30_000n, 5_500n]],
  ]
  const done: [string, unknown][] = []
  for (const [request, outcomes, held] of table) {
    const before = await home.state()
    const changed = await home.change(request)
    expect([request, outcomesOf(changed)]).toEqual([request, outcomes])
    const { envelopes } = await home.envelopes.listEnvelopes(home, home.as)
    expect(envelopes.map(({ currentAmount }) => currentAmount)).toEqual(held)
    done.push([changed.operationId ?? '', before])
  }
  for (const [operationId, before] of done.reverse()) {
    expect(new Set(outcomesOf(await home.undo(operationId)))).toEqual(new Set(['transaction']))
    expect(await home.state()).toEqual(before)
    expect((await home.undo(operationId)).results).toEqual([])
  }
})

test('each result has the hints of its change alone', async () => {
  const { ids, goal, change } = await withBills()
  const set = { spendingId: goal, amount: 60_000n, ...paths('spending_id', 'amount') }
  const found = [
    await change({ items: ids.slice(0, 2), set }),
    await change({ items: ids, delete: {} }),
    await change({ items: ids, restore: {} }),
  ].map(({ results }) => results.map(({ hints }) => hints.map((one) => one.split(/[:,]/)[0])))
  const patched = ['No balance moved', 'The envelope held less than the amount']
  const kept = ['The balances keep what the transaction took']
  expect(found).toEqual([
    [patched, patched],
    [kept, kept, kept],
    [[], [], []],
  ])
})

test('pending transactions are corrected to posted with the posted balance, and back', async () => {
  const home = await withBills({ isPending: true })
  const { ids, as, bankAccountId, expense, transactions } = home
  const assigned = { spendingId: expense, ...paths('spending_id') }
  await home.change({ items: ids.slice(0, 1), set: assigned })
  const patched = { bankAccountId, transactionId: ids[1] ?? '', ...paths('is_pending') }
  // A PATCH moves no balance: the correction does that alone.
  await transactions.updateTransaction({ ...patched, isPending: false }, as)
  const note = { bankAccountId, name: 'Note', amount: 700n, date, isPending: true }
  const { transaction } = await transactions.createTransaction(note, as)
  const { rows, balances, held } = await home.state()
  const { current = 0n, available } = balances ?? {}
  const items = [...ids, transaction?.transactionId ?? '', newId('txn')]
  for (const request of [{ items }, { filter: {} }]) {
    const changed = await home.change({ ...request, correct: { isPending: false } })
    const refused = 'items' in request ? ['Invalid request'] : []
    expect(outcomesOf(changed)).toEqual([...Array(4).fill('transaction'), ...refused])
    expect(changed.results.filter(({ hints }) => hints.length > 0).length).toBe(1)
    expect(changed.balance).toMatchObject({ current: current - 34_500n, available })
    expect((await home.rows()).map((one) => one?.isPending)).toEqual([false, false, false])
    const again = await home.change({ filter: {}, correct: { isPending: false } })
    expect([again.operationId, again.balance]).toEqual([undefined, changed.balance])
    await home.undo(changed.operationId)
    expect(await home.state()).toEqual({ rows, balances, held })
  }
  const changed = await home.change({ items: ids, correct: { amount: 9_000n, date } })
  expect(changed.balance).toMatchObject({ current: current - 9_000n })
  await home.undo(changed.operationId)
  expect(await home.state()).toEqual({ rows, balances, held })
  const typed = (type: string) =>
    booted.database('ledger').pool.query(sql.unsafe`
      UPDATE bank_accounts SET link_type = ${type} WHERE bank_account_id = ${bankAccountId}`)
  const nothing = await home.change({ items: ids, correct: {} })
  await typed('feed')
  const ofBank = await home.change({ items: ids, correct: { isPending: false } })
  await typed('manual')
  expect([nothing, ofBank].map((one) => [one.operationId, ...new Set(outcomesOf(one))])).toEqual([
    [undefined, 'Invalid request'],
    [undefined, expect.stringContaining('Only bank accounts of a manual link')],
  ])
})

test('an undo leaves what has changed since, and names it', async () => {
  const home = await withBills()
  const { ids, as, bankAccountId, expense, transactions } = home
  const before = await home.rows()
  const set = { spendingId: expense, ...paths('spending_id') }
  const { operationId } = await home.change({ items: ids.slice(0, 2), set })
  const key = { bankAccountId, transactionId: ids[1] ?? '' }
  await transactions.updateTransaction({ ...key, notes: 'mine', ...paths('notes') }, as)
  const [first, second] = (await home.undo(operationId)).results
  expect(first?.result.value).toEqual(before[0])
  expect(second?.result.value).toMatchObject({ error: expect.stringContaining('changed since') })
  expect((await home.rows())[1]).toMatchObject({ notes: 'mine', spendingId: expense })
  const stranger = { ...as, ...booted.as(newId('acct')) }
  expect(await refusals(home.undo(operationId, stranger))).toEqual(['NotFound'])
})

test('a change and its undo take place once, at once and repeated', async () => {
  const home = await withBills()
  const { ids, as, goal } = home
  const before = await home.state()
  const keyed = {
    ...as,
    headers: { [headers.idempotencyKey]: newId('k'), [headers.bodyHash]: 'ab' },
  }
  const request = { items: ids.slice(0, 2), set: { spendingId: goal, ...paths('spending_id') } }
  const once = await Promise.all([home.change(request, keyed), home.change(request, keyed)])
  expect(once[0]).toEqual(once[1])
  expect(await home.change(request, keyed)).toEqual(once[0])
  const nothing = await home.change(request)
  expect([nothing.operationId, outcomesOf(nothing)]).toEqual([
    undefined,
    Array(2).fill('transaction'),
  ])
  const { operationId } = once[0]
  const undone = await Promise.all([home.undo(operationId), home.undo(operationId)])
  expect(undone.map(({ results }) => results.length).sort()).toEqual([0, 2])
  expect(await home.state()).toEqual(before)
})

test('a request is refused as a whole, or takes at most 500 matches', async () => {
  const home = await withBills()
  const { ids, as, bankAccountId, transactions } = home
  const restore = {}
  const table: [Request, string][] = [
    [{ items: ids }, 'set'],
    [{ items: ids, restore, delete: {} }, 'set'],
    [{ restore }, 'items'],
    [{ items: ids, filter: {}, restore }, 'items'],
    [{ items: [...ids, ...ids], restore }, 'items'],
  ]
  for (const [request, field] of table) {
    expect(Object.keys((await problems(home.change(request))) ?? {})).toEqual([field])
  }
  const bill = { name: 'Many', amount: 1n, date }
  const many = { bankAccountId, transactions: Array(500).fill(bill) }
  await transactions.createTransactions(many, as)
  const filter = { search: 'many' }
  const set = { notes: 'all', ...paths('notes') }
  const changed = await home.change({ filter, set })
  expect(changed.results.length).toBe(500)
  await transactions.createTransactions({ bankAccountId, transactions: [bill] }, as)
  expect(Object.keys((await problems(home.change({ filter, set }))) ?? {})).toEqual(['filter'])
  expect((await home.undo(changed.operationId)).results.length).toBe(500)
})

test('an operation is kept for a week', async () => {
  const home = await withBills()
  const { operationId } = await home.change({ items: home.ids, delete: {} })
  const { pool } = booted.database('ledger')
  const count = () =>
    pool.oneFirst(sql.type(z.object({ count: z.bigint() }))`
      SELECT count(*) FROM bulk_operations WHERE account_id = ${home.accountId}`)
  const age = (days: number) =>
    pool.query(sql.unsafe`
      UPDATE bulk_operations SET created_at = now() - make_interval(days => ${days})
      WHERE account_id = ${home.accountId}`)
  await age(6)
  await runSweep(booted)
  expect(await count()).toBe(1n)
  await age(8)
  await runSweep(booted)
  expect(await refusals(home.undo(operationId))).toEqual(['NotFound'])
})
