import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { newId } from '@coffer/kit/id'
import { headers } from '@coffer/kit/rpc'
import { type Booted, boot, counted } from '@coffer/kit/testing/boot'
import { BankAccountService } from '@coffer/proto/ledger/v1/bank_account'
import { EnvelopeService } from '@coffer/proto/ledger/v1/envelope'
import { LinkService } from '@coffer/proto/ledger/v1/link'
import { TransactionService } from '@coffer/proto/ledger/v1/transaction'
import { type CallOptions, Code } from '@connectrpc/connect'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { openBook, settle } from '../src/book.ts'
import { saveMoney } from '../src/money/money-save.sql.ts'
import { keyOf, readMoney } from '../src/money/money-state.sql.ts'
import { createMoneyWriter, type MoneyWriter } from '../src/money/writer.service.ts'
import { ledger } from '../src/service.ts'
import { transfer } from '../src/transfer.ts'

const nothing = {
  ...{ created: [], envelopes: [], entries: [], inserted: [], updated: [], deleted: [] },
  ...{ records: [], closed: [], changes: [], replies: [], operations: [], isBulk: false },
  saveId: '',
}

let booted: Booted

beforeAll(async () => {
  booted = await boot([ledger])
})

afterAll(async () => {
  await booted[Symbol.asyncDispose]()
})

const date = timestampFromDate(new Date('2026-03-02T06:00:00Z'))

/** A bank account of 100000 with an expense of 30000 and a goal of 40000 in it. */
async function household(accountId = newId('acct')) {
  const as: CallOptions = booted.as(accountId)
  const links = booted.client('ledger', LinkService)
  const accounts = booted.client('ledger', BankAccountService)
  const envelopes = booted.client('ledger', EnvelopeService)
  const transactions = booted.client('ledger', TransactionService)
  const { link } = await links.createLink({ institutionName: 'Bank' }, as)
  const balance = { availableBalance: 100_000n, currentBalance: 100_000n }
  const opened = { linkId: link?.linkId ?? '', name: 'Checking', ...balance }
  const { bankAccount } = await accounts.createBankAccount(opened, as)
  const bankAccountId = bankAccount?.bankAccountId ?? ''
  const [expense, goal] = [newId('spnd'), newId('spnd')]
  await envelopes.openEnvelope({ bankAccountId, spendingId: expense, spendingType: 'expense' }, as)
  await envelopes.openEnvelope({ bankAccountId, spendingId: goal, spendingType: 'goal' }, as)
  await envelopes.transfer({ bankAccountId, toSpendingId: expense, amount: 30_000n }, as)
  await envelopes.transfer({ bankAccountId, toSpendingId: goal, amount: 40_000n }, as)
  const balances = async () => (await accounts.getBalances({ bankAccountId }, as)).balances
  return {
    accountId,
    as,
    bankAccountId,
    expense,
    goal,
    accounts,
    envelopes,
    transactions,
    balances,
  }
}

test('fifty writers at once on one account and its envelopes lose nothing', async () => {
  const { as, bankAccountId, expense, goal, transactions, envelopes, balances } = await household()
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

test('transfers in opposite directions at once neither deadlock nor move the sum', async () => {
  const { as, bankAccountId, expense, goal, envelopes, balances } = await household()
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

test('twenty retries under one key make one transaction and get one answer', async () => {
  const { as, bankAccountId, expense, transactions, balances } = await household()
  const keyed = {
    headers: { ...as.headers, [headers.idempotencyKey]: newId('k'), [headers.bodyHash]: 'ab' },
  }
  const body = { bankAccountId, amount: 500n, date, name: 'Tea', spendingId: expense }
  const replies = await Promise.all(
    Array.from({ length: 20 }, () =>
      transactions.createTransaction({ ...body, adjustsBalance: true }, keyed as CallOptions),
    ),
  )
  expect(new Set(replies.map(({ transaction }) => transaction?.transactionId)).size).toBe(1)
  expect(await balances()).toMatchObject({ available: 99_500n, expenses: 29_500n })
})

test('a write past its deadline that still waits for its turn is not done', async () => {
  const { accountId, as, bankAccountId, transactions, balances } = await household()
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
  // The first one is under way, at the lock; the second one waits for it.
  const outcomes = await Promise.allSettled([post(1n), post(10n)])
  over.resolve()
  await holding
  expect(outcomes).toMatchObject([
    { status: 'rejected', reason: { code: Code.DeadlineExceeded } },
    { status: 'rejected', reason: { code: Code.DeadlineExceeded } },
  ])
  // What was under way may be done or not; one more write has its turn after both.
  await transactions.createTransaction(
    { bankAccountId, amount: 100n, date, name: 'Tea', adjustsBalance: true },
    as,
  )
  expect([99_900n, 99_899n]).toContain((await balances())?.available)
})

test('a balance and a list are one statement, a transaction two', async () => {
  const { as, bankAccountId, expense, transactions, balances } = await household()
  const count = async (run: () => Promise<unknown>) =>
    (await counted(booted.database('ledger'), run)).count
  const body = { bankAccountId, amount: 500n, date, name: 'Tea', spendingId: expense }
  expect(await count(balances)).toBe(1)
  expect(await count(() => transactions.listTransactions({ bankAccountId, limit: 25 }, as))).toBe(1)
  const created = await counted(booted.database('ledger'), () =>
    transactions.createTransaction(body, as),
  )
  expect(created.count).toBe(2)
  const transactionId = created.result.transaction?.transactionId ?? ''
  const patch = { bankAccountId, transactionId, name: 'Coffee', updateMask: { paths: ['name'] } }
  expect(await count(() => transactions.updateTransaction(patch, as))).toBe(2)
})

test('a change that was decided on an older version is not saved, nothing of it', async () => {
  const { accountId, bankAccountId, expense, goal } = await household()
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
    return saveMoney(pool, [
      {
        ...nothing,
        readVersion,
        bankAccount: { ...bankAccount, name: 'Renamed', version },
        envelopes: envelopes.map((one) => ({ ...one, currentAmount: 1n, version })),
      },
    ])
  }
  expect(await save(bankAccount.version - 1n)).toEqual(new Set())
  expect(await read()).toEqual(before)
  expect(await save(bankAccount.version)).toEqual(new Set([keyOf(scope)]))
  const after = await read()
  expect(after.bankAccount).toMatchObject({ name: 'Renamed', version: bankAccount.version + 1n })
  expect(after.envelopes.map(({ currentAmount }) => currentAmount)).toEqual([1n, 1n])
  expect(await save(bankAccount.version)).toEqual(new Set())
})

test('several processes writing to one account lose nothing', async () => {
  const { balances, writers } = await processes(3)
  const works = Array.from({ length: 20 }, () => writers.map((move) => move(-10n))).flat()
  await Promise.all(works)
  expect(await balances()).toMatchObject({ expenses: 30_000n - 60n * 10n })
})

test('nothing is refused, or left undone, for what another process has changed', async () => {
  const { balances, writers } = await processes(2)
  const [first, second] = writers
  await first?.(-10n)
  await second?.(40_000n)
  // More than there was when the first process wrote last.
  await first?.(-60_000n)
  expect(await balances()).toMatchObject({ expenses: 30_000n - 10n + 40_000n - 60_000n })
  await second?.(-9_000n)
  await expect(first?.(-9_000n)).rejects.toMatchObject({ code: Code.InvalidArgument })
  expect(await balances()).toMatchObject({ expenses: 990n })
})

/** Writers as of so many processes; each moves an amount into the expense, or out of it. */
async function processes(count: number) {
  const { accountId, bankAccountId, expense, balances } = await household()
  const deps = { database: booted.database('ledger'), clock: () => new Date() }
  const scope = { accountId, bankAccountId, spendingIds: [expense] }
  const moverOf =
    ({ write }: MoneyWriter) =>
    (amount: bigint) =>
      write({
        scope,
        decide: (locked) => {
          const book = openBook(locked)
          const causeId = locked.operation.operationId
          const [from, to] = amount < 0n ? [expense, null] : [null, expense]
          const size = amount < 0n ? -amount : amount
          transfer(book, { fromSpendingId: from, toSpendingId: to, amount: size, causeId })
          return { settlement: settle(book), reply: null }
        },
      })
  const writers = Array.from({ length: count }, () => moverOf(createMoneyWriter(deps)))
  return { balances, writers }
}
