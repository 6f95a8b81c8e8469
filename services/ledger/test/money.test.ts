import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { newId } from '@coffer/kit/id'
import { headers } from '@coffer/kit/rpc'
import { type Booted, boot, ofConsumers } from '@coffer/kit/testing/boot'
import { BankAccountService } from '@coffer/proto/ledger/v1/bank_account'
import { EnvelopeService } from '@coffer/proto/ledger/v1/envelope'
import { TransactionsChangedSchema } from '@coffer/proto/ledger/v1/events'
import { LinkService } from '@coffer/proto/ledger/v1/link'
import { TransactionService } from '@coffer/proto/ledger/v1/transaction'
import { type CallOptions, Code } from '@connectrpc/connect'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { renewal } from '../src/bank-account-version.sql.ts'
import { openBook, settle } from '../src/book.ts'
import { createKeptMoney } from '../src/kept-money.ts'
import { createMoneyWriter, type MoneyWriter } from '../src/money.rpc.ts'
import { type MoneyRows, readMoney } from '../src/money.sql.ts'
import { saveUnchanged } from '../src/money-unlocked.sql.ts'
import { ledger } from '../src/service.ts'
import { transfer } from '../src/transfer.ts'

const nothing = {
  ...{ envelopes: [], entries: [], inserted: [], updated: [], deleted: [], closed: [] },
  ...{ changes: [], replies: [], operations: [] },
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

test('a balance and a list are one statement, a transaction two, the next one', async () => {
  const { accountId, as, bankAccountId, expense, transactions, balances } = await household()
  const database = booted.database('ledger')
  const counting = async (run: () => Promise<unknown>) => {
    const before = database.statements(ofConsumers)
    await run()
    return database.statements(ofConsumers) - before
  }
  const body = { bankAccountId, amount: 500n, date, name: 'Tea', spendingId: expense }
  expect(await counting(balances)).toBe(1)
  expect(
    await counting(() => transactions.listTransactions({ bankAccountId, limit: 25 }, as)),
  ).toBe(1)
  // What there is, and the statement that saves if it still is so.
  const create = () => transactions.createTransaction(body, as)
  booted.clock.now = new Date()
  await create()
  await database.pool.query(sql.unsafe`
    UPDATE bank_accounts SET name = name
    WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId}`)
  // The first finds that what is kept is not so any more.
  expect([await counting(create), await counting(create)]).toEqual([1 + 2, 1])
  booted.clock.now = null
})

test('transactions that are added one after the other are announced once', async () => {
  const { accountId, as, bankAccountId, transactions } = await household()
  for (let count = 0; count < 3; count++) {
    await transactions.createTransaction({ bankAccountId, amount: 100n, date, name: 'Tea' }, as)
  }
  const { rows } = await booted.database('ledger').pool.query(sql.unsafe`
    SELECT FROM changes
    WHERE account_id = ${accountId} AND type = ${TransactionsChangedSchema.typeName}`)
  expect(rows).toHaveLength(1)
})

test('what somebody else did first is not overwritten, nothing of the write is saved', async () => {
  const { accountId, bankAccountId, expense, goal } = await household()
  const database = booted.database('ledger')
  const scope = { accountId, bankAccountId, spendingIds: [expense, goal], transactionIds: [] }
  const read = async () => {
    const rows = await readMoney(database, scope)
    if (!rows) throw new Error('no bank account')
    return rows
  }
  const saveNamed = (name: string, { seen, bankAccount }: MoneyRows) =>
    saveUnchanged(database, scope, {
      seen,
      write: { ...nothing, bankAccount: { ...bankAccount, name } },
    })
  const before = await read()
  await database.pool.query(sql.unsafe`${renewal(scope)}`)
  expect(await saveNamed('Late', before)).toBeNull()
  const rows = await read()
  await database.pool.query(sql.unsafe`
    WITH renewed AS (${renewal(scope)})
    UPDATE envelopes SET account_id = account_id
    WHERE account_id = ${accountId} AND spending_id = ${goal}`)
  // Even where the bank account is as it was seen, the envelope tells.
  const { account } = (await read()).seen
  expect(await saveNamed('Late', { ...rows, seen: { ...rows.seen, account } })).toBeNull()
  const now = await read()
  expect({ ...now, seen: null }).toEqual({ ...before, seen: null })
  const version = await saveNamed('In time', now)
  expect(await saveNamed('Again', now)).toBeNull()
  const saved = await read()
  expect([saved.bankAccount.name, saved.seen.account]).toEqual(['In time', version])
})

test('what is kept of a write is what a read would find', async () => {
  const { accountId, bankAccountId, expense, goal } = await household()
  const database = booted.database('ledger')
  const scope = { accountId, bankAccountId, spendingIds: [expense, goal], transactionIds: [] }
  const kept = createKeptMoney()
  const read = await readMoney(database, scope)
  if (!read) throw new Error('no bank account')
  const now = new Date()
  const operation = { operationId: newId('op'), now, createdBy: null }
  const book = openBook({ ...read, operation })
  const sides = { fromSpendingId: expense, toSpendingId: goal }
  transfer(book, { ...sides, amount: 10n, causeId: operation.operationId })
  const write = { ...nothing, ...settle(book) }
  const version = await saveUnchanged(database, scope, { seen: read.seen, write })
  kept.keep({ ...write, version: version ?? '' }, now)
  expect(kept.find(scope, now)).toEqual(await readMoney(database, scope))
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
  const deps = { database: booted.database('ledger'), clock: () => new Date(), quietMs: 5_000 }
  const scope = { accountId, bankAccountId, spendingIds: [expense] }
  const moverOf = (write: MoneyWriter) => (amount: bigint) =>
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
