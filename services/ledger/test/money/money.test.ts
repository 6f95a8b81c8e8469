import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { counted } from '@coffer/host/testing/boot'
import { booting } from '@coffer/host/testing/booting'
import { keyOf } from '@coffer/kit/database/aggregate-key'
import { headers } from '@coffer/kit/rpc/rpc'
import { statementsMax } from '@coffer/kit/testing/statements-max'
import { newId } from '@coffer/kit/values/id'
import { Code } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { emptyTransaction } from '../../src/book/transaction.ts'
import { saveMoney } from '../../src/money/money-save.sql.ts'
import { readMoney } from '../../src/money/money-state.sql.ts'
import { endOperation, startOperation } from '../../src/money/operation.ts'
import { transfer } from '../../src/money/transfer.ts'
import { createMoneyWriter, type MoneyWriter } from '../../src/money/writer.service.ts'
import { ledger } from '../../src/service.ts'
import { createFundedHousehold, type FundedHousehold, payTogether } from '../funded-household.ts'
import { emptyChangeSet } from './empty-change-set.ts'

const booted = booting([ledger])

const date = timestampFromDate(new Date('2026-03-02T06:00:00Z'))

test('fifty concurrent writers of one account and its envelopes lose no update', async () => {
  const { as, bankAccountId, expense, goal, transactions, envelopes, balances } =
    await createFundedHousehold(booted)
  const spend = (spendingId: string) =>
    transactions.createTransaction(
      { bankAccountId, amount: 100n, date, name: 'Tea', spendingId, adjustsBalance: true },
      as,
    )
  await Promise.all([
    ...Array.from({ length: 25 }, () => spend(expense)),
    ...Array.from({ length: 15 }, () => spend(goal)),
    ...Array.from({ length: 10 }, () =>
      envelopes.transfer({ bankAccountId, fromSpendingId: expense, amount: 50n }, as),
    ),
  ])
  expect(await balances()).toMatchObject({
    available: 100_000n - 40n * 100n,
    current: 100_000n - 40n * 100n,
    expenses: 30_000n - 25n * 100n - 10n * 50n,
    goals: 40_000n - 15n * 100n,
  })
  const listed = await envelopes.listEnvelopes({ bankAccountId }, as)
  expect(listed.envelopes).toMatchObject([
    { spendingId: expense, currentAmount: 27_000n, usedAmount: 0n },
    { spendingId: goal, currentAmount: 38_500n, usedAmount: 1_500n },
  ])
})

test('concurrent transfers in opposite directions neither deadlock nor change sums', async () => {
  const { as, bankAccountId, expense, goal, envelopes, balances } =
    await createFundedHousehold(booted)
  const pairs = Array.from({ length: 40 }, (_, index) =>
    index % 2 ? [expense, goal] : [goal, expense],
  )
  await Promise.all(
    pairs.map(([fromSpendingId = '', toSpendingId = '']) =>
      envelopes.transfer({ bankAccountId, fromSpendingId, toSpendingId, amount: 10n }, as),
    ),
  )
  expect(await balances()).toMatchObject({ expenses: 30_000n, goals: 40_000n, free: 30_000n })
})

test('twenty retries under one key cost the statements of one request', async () => {
  const { as, bankAccountId, expense, transactions, balances } = await createFundedHousehold(booted)
  const key = { [headers.idempotencyKey]: newId('k'), [headers.bodyHash]: 'ab' }
  const keyed = { ...as, headers: key }
  const body = { bankAccountId, amount: 500n, date, name: 'Tea', spendingId: expense }
  const post = () => transactions.createTransaction({ ...body, adjustsBalance: true }, keyed)
  const { count, result } = await counted(booted.database('ledger'), () =>
    Promise.all(Array.from({ length: 20 }, post)),
  )
  expect(new Set(result.map(({ transaction }) => transaction?.transactionId)).size).toBe(1)
  // A request with an idempotency key costs one statement more: it reads the key.
  expect(count).toBeLessThanOrEqual(statementsMax.createTransaction + 1)
  expect(await balances()).toMatchObject({ available: 99_500n, expenses: 29_500n })
})

test('a write that is still queued at its deadline is dropped', async () => {
  const { accountId, as, bankAccountId, transactions, balances } =
    await createFundedHousehold(booted)
  const post = (amount: bigint) =>
    transactions.createTransaction(
      { bankAccountId, amount, date, name: 'Tea', adjustsBalance: true },
      { ...as, timeoutMs: 300 },
    )
  const locked = Promise.withResolvers<void>()
  const over = Promise.withResolvers<void>()
  const holding = booted.database('ledger').transaction(async (tx) => {
    await tx.query(sql.unsafe`
      SELECT 1 FROM bank_accounts
      WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId} FOR NO KEY UPDATE`)
    locked.resolve()
    await over.promise
  })
  await locked.promise
  // The first call waits for the row lock. The second waits in the queue, behind the first.
  const outcomes = await Promise.allSettled([post(1n), post(10n)])
  over.resolve()
  await holding
  expect(outcomes).toMatchObject([
    { status: 'rejected', reason: { code: Code.DeadlineExceeded } },
    { status: 'rejected', reason: { code: Code.DeadlineExceeded } },
  ])
  // The first call may have been committed despite the timeout. This write waits for both calls.
  await transactions.createTransaction(
    { bankAccountId, amount: 100n, date, name: 'Tea', adjustsBalance: true },
    as,
  )
  expect([99_900n, 99_899n]).toContain((await balances())?.available)
})

test('reading balances, listing, and creating a transaction cost few statements', async () => {
  const home = await createFundedHousehold(booted)
  const { as, bankAccountId, expense, transactions, balances, accounts } = home
  const count = async (run: () => Promise<unknown>) =>
    (await counted(booted.database('ledger'), run)).count
  const body = { bankAccountId, amount: 500n, date, name: 'Tea', spendingId: expense }
  expect(await count(balances)).toBeLessThanOrEqual(statementsMax.getBalances)
  const overview = () => accounts.listOverviews({}, as)
  expect(await count(overview)).toBeLessThanOrEqual(statementsMax.listOverviews)
  const list = () => transactions.listTransactions({ bankAccountId, limit: 25 }, as)
  expect(await count(list)).toBeLessThanOrEqual(statementsMax.listTransactions)
  const created = await counted(booted.database('ledger'), () =>
    transactions.createTransaction(body, as),
  )
  expect(created.count).toBeLessThanOrEqual(statementsMax.createTransaction)
  const transactionId = created.result.transaction?.transactionId ?? ''
  const patch = { bankAccountId, transactionId, name: 'Coffee', updateMask: { paths: ['name'] } }
  const update = () => transactions.updateTransaction(patch, as)
  expect(await count(update)).toBeLessThanOrEqual(statementsMax.updateTransaction)
})

test('the relay is notified only by a save with events', async () => {
  const { as, bankAccountId, transactions, envelopes } = await createFundedHousehold(booted)
  let times = 0
  booted.database('ledger').onChanges(() => {
    times += 1
  })
  const empty = { bankAccountId, spendingId: newId('spnd'), spendingType: 'goal' }
  await envelopes.openEnvelope(empty, as)
  expect(times).toBe(0)
  await transactions.createTransaction({ bankAccountId, amount: 100n, date, name: 'Tea' }, as)
  expect(times).toBe(1)
})

test('a change set of an older version is not saved, not even in part', async () => {
  const { accountId, bankAccountId, expense, goal } = await createFundedHousehold(booted)
  const { pool } = booted.database('ledger')
  const scope = { accountId, bankAccountId, spendingIds: [expense, goal] }
  const read = async () => {
    const state = (await readMoney(pool, [scope])).get(keyOf(scope))
    if (!state) throw new Error('no bank account')
    return state
  }
  const before = await read()
  const { bankAccount, envelopes } = before
  const save = (readVersion: bigint) => {
    const version = readVersion + 1n
    const changed = [
      {
        ...emptyChangeSet,
        readVersion,
        bankAccount: { ...bankAccount, name: 'Renamed', version },
        envelopes: envelopes.map((one) => ({ ...one, currentAmount: 1n, version })),
      },
    ]
    return saveMoney(pool, changed, 'wait')
  }
  expect(await save(bankAccount.version - 1n)).toEqual(new Set())
  expect(await read()).toEqual(before)
  expect(await save(bankAccount.version)).toEqual(new Set([keyOf(scope)]))
  const after = await read()
  expect(after.bankAccount).toMatchObject({ name: 'Renamed', version: bankAccount.version + 1n })
  expect(after.envelopes.map(({ currentAmount }) => currentAmount)).toEqual([1n, 1n])
  expect(await save(bankAccount.version)).toEqual(new Set())
})

function tenHouseholds() {
  return Promise.all(Array.from({ length: 10 }, () => createFundedHousehold(booted)))
}

test('concurrent writes of ten accounts share their statements', async () => {
  const households = await tenHouseholds()
  const paid = await counted(booted.database('ledger'), () => payTogether(households))
  expect(paid.result.map(({ status }) => status)).toEqual(Array(10).fill('fulfilled'))
  expect(paid.count).toBeLessThanOrEqual(statementsMax.createTransactionsOfTenAccounts)
  const balances = await Promise.all(households.map((one) => one.balances()))
  expect(balances.map((one) => one?.available)).toEqual(Array(10).fill(99_900n))
})

test('a locked bank account delays no other', async () => {
  const households = await tenHouseholds()
  const [held, ...others] = households as [FundedHousehold, ...FundedHousehold[]]
  const isOver = Promise.withResolvers<void>()
  const isHeld = Promise.withResolvers<void>()
  const holding = booted.database('ledger').transaction(async (tx) => {
    await tx.query(sql.unsafe`
      SELECT 1 FROM bank_accounts
      WHERE account_id = ${held.accountId} AND bank_account_id = ${held.bankAccountId}
      FOR NO KEY UPDATE`)
    isHeld.resolve()
    await isOver.promise
  })
  await isHeld.promise
  const blocked = payTogether([held])
  const paid = await payTogether(others)
  expect(paid.map(({ status }) => status)).toEqual(Array(9).fill('fulfilled'))
  expect(await Promise.race([blocked, 'waiting'])).toBe('waiting')
  isOver.resolve()
  await holding
  expect(await blocked).toMatchObject([{ status: 'fulfilled' }])
})

test('a change that violates a constraint is rejected alone', async () => {
  const households = await tenHouseholds()
  const { write } = createMoneyWriter({
    database: booted.database('ledger'),
    clock: () => new Date(),
  })
  const writeOne = ({ accountId, bankAccountId }: FundedHousehold, isRefused: boolean) =>
    write({
      scope: { accountId, bankAccountId },
      decide: (locked) => {
        const spending = isRefused ? { spendingId: newId('spnd'), spendingAmount: 1n } : {}
        const transactions = [{ ...transactionIn({ accountId, bankAccountId }), ...spending }]
        return { settlement: endOperation(startOperation(locked)), transactions, reply: null }
      },
    })
  const outcomes = await Promise.allSettled(
    households.map((one, index) => writeOne(one, index === 4)),
  )
  const refused = outcomes.flatMap(({ status }, index) => (status === 'rejected' ? index : []))
  expect(refused).toEqual([4])
  const lists = await Promise.all(
    households.map(({ as, bankAccountId, transactions }) =>
      transactions.listTransactions({ bankAccountId, limit: 25 }, as),
    ),
  )
  expect(lists.map((list) => list.transactions.length)).toEqual([1, 1, 1, 1, 0, 1, 1, 1, 1, 1])
})

function transactionIn(key: { accountId: string; bankAccountId: string }) {
  const at = new Date('2026-03-02T06:00:00Z')
  const transactionId = newId('txn')
  const stated = { amount: 100n, date: at, source: 'manual' as const, createdAt: at }
  return { ...emptyTransaction(key, { transactionId, ...stated }), name: 'Tea' }
}

test('writers of several processes lose no update', async () => {
  const { balances, writers } = await processes(3)
  const works = Array.from({ length: 20 }, () => writers.map((move) => move(-10n))).flat()
  await Promise.all(works)
  expect(await balances()).toMatchObject({ expenses: 30_000n - 60n * 10n })
})

test('a decision of one process reads the changes of another', async () => {
  const { balances, writers } = await processes(2)
  const [first, second] = writers
  await first?.(-10n)
  await second?.(40_000n)
  // The first process last read 29,990 in the envelope: to take 60,000, it must read again.
  await first?.(-60_000n)
  expect(await balances()).toMatchObject({ expenses: 30_000n - 10n + 40_000n - 60_000n })
  await second?.(-9_000n)
  await expect(first?.(-9_000n)).rejects.toMatchObject({ code: Code.InvalidArgument })
  expect(await balances()).toMatchObject({ expenses: 990n })
})

/**
 * Returns `balances`, and in `writers` a function for each of `count` processes: it moves an amount
 * into the expense, or out of it if the amount is negative.
 */
async function processes(count: number) {
  const { accountId, bankAccountId, expense, balances } = await createFundedHousehold(booted)
  const deps = { database: booted.database('ledger'), clock: () => new Date() }
  const scope = { accountId, bankAccountId, spendingIds: [expense] }
  const moverOf =
    ({ write }: MoneyWriter) =>
    (amount: bigint) =>
      write({
        scope,
        decide: (locked) => {
          const started = startOperation(locked)
          const causeId = locked.operation.operationId
          const [from, to] = amount < 0n ? [expense, null] : [null, expense]
          const size = amount < 0n ? -amount : amount
          transfer(started, { fromSpendingId: from, toSpendingId: to, amount: size, causeId })
          return { settlement: endOperation(started), reply: null }
        },
      })
  const writers = Array.from({ length: count }, () => moverOf(createMoneyWriter(deps)))
  return { balances, writers }
}
