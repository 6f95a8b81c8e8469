import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt'
import { booting } from '@coffer/host/testing/booting'
import { createHousehold, type Household } from '@coffer/host/testing/household'
import { headers } from '@coffer/kit/rpc/rpc'
import { newId } from '@coffer/kit/values/id'
import type { CreateTransactionsResponse } from '@coffer/proto/ledger/v1/transaction'
import { expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { z } from 'zod'
import { auditLedger } from '../../src/money/audit.sql.ts'
import { ledger } from '../../src/service.ts'
import { refusals } from '../outcomes.ts'

const booted = booting([ledger])

const date = timestampFromDate(new Date('2026-03-02T23:30:00Z'))

/** Creates a household with 10,000 minor units available, 1,000 of them in an expense. */
async function withExpense() {
  const home = await createHousehold(booted, { availableBalance: 10_000n, currentBalance: 10_000n })
  const { as, bankAccountId, envelopes } = home
  const spendingId = newId('spnd')
  await envelopes.openEnvelope({ bankAccountId, spendingId, spendingType: 'expense' }, as)
  await envelopes.transfer({ bankAccountId, toSpendingId: spendingId, amount: 1000n }, as)
  return { ...home, spendingId }
}

function bill(more: object = {}) {
  return { amount: 300n, date, name: 'Bill', adjustsBalance: true, ...more }
}

function send({ transactions, bankAccountId, as }: Household, sent: object[], options = as) {
  return transactions.createTransactions({ bankAccountId, transactions: sent }, options)
}

function outcomesOf({ results }: CreateTransactionsResponse) {
  return results.map(({ result }) => (result.case === 'refused' ? result.value.error : result.case))
}

async function stored({ transactions, bankAccountId, as }: Household) {
  return (await transactions.listTransactions({ bankAccountId, limit: 100 }, as)).transactions
}

/** Returns the number of commits that wrote the household's transactions (`xmin` of their rows). */
function commits({ accountId }: Household) {
  const Row = z.object({ commits: z.bigint() })
  return booted.database('ledger').pool.oneFirst(sql.type(Row)`
    SELECT count(DISTINCT xmin::text) AS commits FROM transactions WHERE account_id = ${accountId}`)
}

test('each is booked on the result of those before it, all in one commit', async () => {
  const home = await withExpense()
  const { spendingId } = home
  const assigned = bill({ spendingId, amount: 400n })
  const reply = await send(home, [assigned, bill(), assigned, assigned, bill({ amount: -50n })])
  const taken = reply.results.map(({ result }) =>
    result.case === 'transaction' ? result.value.spendingAmount : null,
  )
  // The envelope holds 1,000: it pays 400, 400 and the remaining 200.
  expect(taken).toEqual([400n, undefined, 400n, 200n, undefined])
  expect(reply.balance).toMatchObject({ available: 8550n, current: 8550n, expenses: 0n })
  expect(reply.envelopes).toMatchObject([{ spendingId, currentAmount: 0n }])
  const listed = await stored(home)
  expect(listed.map(({ amount }) => amount)).toEqual([-50n, 400n, 400n, 300n, 400n])
  expect(listed[0]?.date && timestampDate(listed[0].date)).toEqual(new Date('2026-03-02T06:00:00Z'))
  expect(await commits(home)).toBe(1n)
  expect(await auditLedger(booted.database('ledger'))).toEqual([])
})

test('a refused one has no effect, and the others are booked', async () => {
  const home = await withExpense()
  const { spendingId } = home
  const reply = await send(home, [
    bill({ spendingId }),
    bill({ amount: 0n }),
    bill({ amount: -5n, spendingId }),
    bill({ spendingId: newId('spnd') }),
    bill({ amount: -(2n ** 53n - 1n) }),
    bill(),
  ])
  const range = 'The amounts would leave the range of ±9007199254740991'
  const wrong = 'Invalid request'
  expect(outcomesOf(reply)).toEqual(['transaction', wrong, wrong, wrong, range, 'transaction'])
  const { result } = reply.results[1] ?? {}
  expect(result?.case === 'refused' && result.value.problems?.problems).toMatchObject([
    { path: ['amount'], message: 'must not be 0' },
  ])
  expect(reply.balance).toMatchObject({ available: 9400n, expenses: 700n })
  expect(await stored(home)).toHaveLength(2)
  expect(await auditLedger(booted.database('ledger'))).toEqual([])
})

test('a batch with refused items only gets the unchanged balances', async () => {
  const home = await withExpense()
  const reply = await send(home, [bill({ amount: 0n })])
  expect(reply).toMatchObject({ balance: { available: 10_000n }, envelopes: [] })
  expect(await stored(home)).toEqual([])
})

test('a batch is booked once under one Idempotency-Key, by concurrent calls', async () => {
  const home = await withExpense()
  const keyed = {
    ...home.as,
    headers: { [headers.idempotencyKey]: newId('k'), [headers.bodyHash]: 'ab' },
  }
  const batch = [bill({ spendingId: home.spendingId }), bill({ amount: 0n }), bill()]
  const replies = await Promise.all(Array.from({ length: 8 }, () => send(home, batch, keyed)))
  expect(replies).toEqual(replies.map(() => replies[0]))
  expect(await stored(home)).toHaveLength(2)
  expect(await home.balances()).toMatchObject({ available: 9400n, expenses: 700n })
})

test('concurrent batches and single writes lose no update', async () => {
  const home = await withExpense()
  const { spendingId, transactions, bankAccountId, as } = home
  const one = bill({ spendingId, amount: 1n })
  await Promise.all([
    ...Array.from({ length: 5 }, () => send(home, Array(50).fill(one))),
    ...Array.from({ length: 20 }, () =>
      transactions.createTransaction({ ...one, bankAccountId }, as),
    ),
  ])
  expect(await home.balances()).toMatchObject({ available: 9730n, expenses: 730n })
  expect(await auditLedger(booted.database('ledger'))).toEqual([])
})

test('500 transactions from 500 envelopes are one commit, and 501 are refused', async () => {
  const home = await withExpense()
  const { envelopes, bankAccountId, as } = home
  const ids = Array.from({ length: 500 }, () => newId('spnd'))
  // All 500 calls wait for one row lock; the last waits longer than the default timeout.
  const patient = { ...as, timeoutMs: 60_000 }
  await Promise.all(
    ids.map((spendingId) =>
      envelopes.openEnvelope({ bankAccountId, spendingId, spendingType: 'goal' }, patient),
    ),
  )
  const all = ids.map((spendingId) => bill({ spendingId }))
  const before = (await booted.changes('ledger', home.accountId)).length
  const reply = await send(home, all)
  expect(await commits(home)).toBe(1n)
  expect(reply.envelopes).toHaveLength(500)
  expect(new Set(outcomesOf(reply))).toEqual(new Set(['transaction']))
  const changes = (await booted.changes('ledger', home.accountId)).slice(before)
  expect(changes).toEqual(Array(3).fill('coffer.ledger.v1.EnvelopesChanged'))
  expect(await refusals(send(home, [...all, bill()]))).toEqual(['InvalidArgument'])
})

test('a bank account that refuses a single transaction refuses the batch', async () => {
  const home = await withExpense()
  const stranger = { ...home, as: booted.as(newId('acct')) }
  const archived = await withExpense()
  const { accounts, bankAccountId, as } = archived
  await accounts.archiveBankAccount({ bankAccountId }, as)
  expect(
    await refusals(
      send(stranger, [bill()]),
      send({ ...home, bankAccountId: newId('bac') }, [bill()]),
      send(archived, [bill()]),
    ),
  ).toEqual(['NotFound', 'NotFound', 'FailedPrecondition'])
})

test('a large batch shares no commit with other bank accounts', async () => {
  const [one, large, other] = [await withExpense(), await withExpense(), await withExpense()]
  const sent = Array.from({ length: 100 }, () => bill({ amount: 1n }))
  await Promise.all([send(one, [bill()]), send(large, sent), send(other, [bill()])])
  const shared = await booted.database('ledger').pool.any(sql.unsafe`
    SELECT xmin::text FROM transactions
    WHERE account_id = ANY(${sql.array([large.accountId, other.accountId], 'text')})
    GROUP BY xmin::text HAVING count(DISTINCT account_id) > 1`)
  expect(shared).toEqual([])
})
