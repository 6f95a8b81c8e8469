import { createDatabase } from '@coffer/host/database/pool'
import { type Booted, boot, untilLockAwaited } from '@coffer/host/testing/boot'
import type { Database } from '@coffer/kit/database/database'
import { startProxy, type TcpProxy } from '@coffer/kit/testing/proxy'
import { newId } from '@coffer/kit/values/id'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { createBankAccount } from '../../src/accounts/bank-account-change.ts'
import { createBankAccounts } from '../../src/accounts/bank-account-creation.service.ts'
import type { Bounds } from '../../src/accounts/bounds.sql.ts'
import { createEnvelope } from '../../src/book/envelope.ts'
import { auditLedger } from '../../src/money/audit.sql.ts'
import { endOperation, startOperation } from '../../src/money/operation.ts'
import { transfer } from '../../src/money/transfer.ts'
import {
  createMoneyWriter,
  type MoneyWork,
  type MoneyWriter,
} from '../../src/money/writer.service.ts'
import { ledger } from '../../src/service.ts'
import { createExpenseHousehold } from '../funded-household.ts'
import { holdRow } from '../held-row.ts'
import { refusals } from '../outcomes.ts'

const stack = new AsyncDisposableStack()
let booted: Booted
let proxy: TcpProxy
let remote: Database
let writer: MoneyWriter
/** A money writer in the role of another process: its database connections bypass the proxy. */
let otherWriter: MoneyWriter

beforeAll(async () => {
  booted = stack.use(await boot([ledger]))
  proxy = stack.use(await startProxy(booted.databaseUrl))
  const options = { schema: 'ledger', poolSizeMax: 4, statementTimeoutMs: 10_000 }
  remote = stack.use(await createDatabase({ url: proxy.url, ...options }))
  const clock = () => new Date()
  writer = createMoneyWriter({ database: remote, clock })
  otherWriter = createMoneyWriter({ database: booted.database('ledger'), clock })
})

afterAll(async () => {
  expect(await auditLedger(booted.database('ledger'))).toEqual([])
  await stack.disposeAsync()
})

/**
 * Creates a household with an expense. Returns functions that create changes of its bank account:
 * `fill` moves money into the expense, `rename` and `create` move none.
 */
async function createHomeWithWorks() {
  const home = await createExpenseHousehold(booted)
  const { accountId, bankAccountId, spendingId } = home
  const scope = { accountId, bankAccountId }
  const fill = (amount: bigint, operationId = newId('op')): MoneyWork<bigint> => ({
    scope: { ...scope, spendingIds: [spendingId] },
    operationId,
    decide: (locked) => {
      const started = startOperation(locked)
      const sides = { fromSpendingId: null, toSpendingId: spendingId }
      transfer(started, { ...sides, amount, causeId: operationId })
      return { settlement: endOperation(started), reply: amount }
    },
  })
  // `rename` and `create` write no journal rows and no events.
  const rename = (name: string): MoneyWork<string> => ({
    scope,
    decide: (locked) => {
      const settlement = endOperation(startOperation(locked))
      const bankAccount = { ...settlement.bankAccount, name }
      return { settlement: { ...settlement, bankAccount }, reply: locked.bankAccount.name }
    },
  })
  const create = (): MoneyWork<null> => {
    const identity = { ...scope, spendingId: newId('spnd') }
    return {
      scope,
      decide: (current) => {
        const created = createEnvelope({ ...identity, spendingType: 'goal' }, current.operation.now)
        return { settlement: endOperation(startOperation(current)), created, reply: null }
      },
    }
  }
  const held = async () => (await home.balances())?.expenses
  return { home, fill, rename, create, held }
}

test('a change whose answer is lost is made once, with or without an event', async () => {
  const { home, fill, rename, create, held } = await createHomeWithWorks()
  const write = async (work: MoneyWork<unknown>) => {
    const isLost = proxy.loseAnswerTo('"read_version"', 0)
    const reply = await writer.write(work)
    expect(isLost()).toBe(true)
    return reply
  }
  expect(await write(fill(10n))).toBe(10n)
  expect(await held()).toBe(10n)
  // `rename` returns the previous name: a second execution would return 'Daily'.
  expect(await write(rename('Daily'))).toBe('Checking')
  await write(create())
  const { envelopes } = await home.envelopes.listEnvelopes(home, home.as)
  expect(envelopes).toHaveLength(2)
})

test('a change by writeIn whose COMMIT is lost is made once', async () => {
  const { home, fill, held } = await createHomeWithWorks()
  const isLost = proxy.loseAnswerTo('COMMIT', 0)
  const written = remote.transaction((tx) => writer.writeIn(tx, home, async () => fill(10n)))
  expect(await written).toBe(10n)
  expect(isLost()).toBe(true)
  expect(await held()).toBe(10n)
})

test('a change by writeIn is decided on the rows that its preparation read', async () => {
  const { home, fill, held } = await createHomeWithWorks()
  const database = booted.database('ledger')
  const preparing = Promise.withResolvers<void>()
  const other = preparing.promise.then(() => otherWriter.write(fill(100n)))
  const otherIsWaiting = preparing.promise.then(() =>
    Promise.race([other, untilLockAwaited(database)]),
  )
  const seen: bigint[] = []
  const written = database.transaction((tx) =>
    otherWriter.writeIn(tx, home, async () => {
      preparing.resolve()
      await otherIsWaiting
      const { decide, ...work } = fill(10n)
      return {
        ...work,
        decide: (current) => {
          seen.push(current.bankAccount.expenses)
          return decide(current)
        },
      }
    }),
  )
  expect(await Promise.all([written, other])).toEqual([10n, 100n])
  expect(seen).toEqual([0n])
  expect(await held()).toBe(110n)
})

test('a bank account whose COMMIT is lost is created once', async () => {
  const { home } = await createHomeWithWorks()
  const { accountId, linkId, as } = home
  const operation = { operationId: newId('op'), now: new Date(), createdBy: null, version: 1n }
  const balances = { availableBalance: 10n, currentBalance: 10n, limitBalance: null }
  const kind = { accountType: null, accountSubType: null, status: null, originalName: null }
  const named = { name: 'Savings', currency: 'USD', mask: null, feedBankAccountId: null }
  const body = { bankAccountId: newId('bac'), ...named, ...kind, ...balances }
  const deps = { database: remote, config: { bankAccountsMax: 2 } as Bounds }
  const isLost = proxy.loseAnswerTo('COMMIT', 0)
  const created = createBankAccounts(deps, { accountId, linkId }, (link) => {
    const settlement = createBankAccount({ link, operation }, body)
    return { creations: [{ settlement, reply: null }], reply: 'created' }
  })
  expect(await created).toBe('created')
  expect(isLost()).toBe(true)
  const { bankAccounts } = await home.accounts.listBankAccounts({ linkId }, as)
  expect(bankAccounts).toHaveLength(2)
})

test('a statement that reaches Postgres after its repetition has no effect', async () => {
  const { fill, held } = await createHomeWithWorks()
  const line = proxy.hold('"read_version"')
  const written = writer.write(fill(10n))
  const { cut, deliver } = await line
  cut()
  expect(await written).toBe(10n)
  // The delayed statement changes nothing: its compare-and-set fails, as the repetition has raised
  // the version.
  await deliver()
  expect(await held()).toBe(10n)
})

test.each([
  { meanwhile: 'nothing', changes: sql.unsafe`SELECT 1` },
  {
    meanwhile: 'another change',
    changes: sql.unsafe`UPDATE bank_accounts SET version = version + 1`,
  },
])('one that still waits, for $meanwhile, is waited for', async ({ changes }) => {
  const { home, fill, held } = await createHomeWithWorks()
  const { release } = await holdRow(booted.database('ledger'), home, changes)
  const line = proxy.hold('"read_version"')
  const written = writer.write(fill(10n))
  const { cut, deliver } = await line
  const delivered = deliver()
  await untilLockAwaited(booted.database('ledger'))
  const other = otherWriter.write(fill(100n))
  cut()
  const released = release()
  expect(await Promise.all([written, other])).toEqual([10n, 100n])
  await Promise.all([released, delivered])
  expect(await held()).toBe(110n)
})

test('a repetition whose COMMIT is lost is looked up as well', async () => {
  const { fill, held } = await createHomeWithWorks()
  const line = proxy.hold('"read_version"')
  const written = writer.write(fill(10n))
  const isLost = proxy.loseAnswerTo('COMMIT', 0)
  const { cut } = await line
  cut()
  expect(await written).toBe(10n)
  expect(isLost()).toBe(true)
  expect(await held()).toBe(10n)
})

test('a change whose answer is lost is made, though the queue of its account is full', async () => {
  const { fill, rename, held } = await createHomeWithWorks()
  const renameAll = (count: number) =>
    Array.from({ length: count }, () => writer.write(rename('Daily')))
  const savedFirst = proxy.hold('"read_version"')
  const written = writer.write(fill(10n))
  const first = await savedFirst
  const sharing = renameAll(15)
  const savedNext = proxy.hold('"read_version"')
  // The first of these changes is saved at once; 1,024 more fill the queue of the bank account.
  const queued = renameAll(1 + 1_024)
  const next = await savedNext
  expect(await refusals(writer.write(rename('Daily')))).toEqual(['Unavailable'])
  await first.deliver()
  await Promise.all(sharing)
  next.cut()
  expect(await written).toBe(10n)
  await Promise.all(queued)
  expect(await held()).toBe(10n)
})

test('without a connection to look the save up, the answer is DeadlineExceeded', async () => {
  const { fill, held } = await createHomeWithWorks()
  const line = proxy.hold('"read_version"')
  const written = refusals(writer.write(fill(10n)))
  await line
  proxy.cut()
  expect(await written).toEqual(['DeadlineExceeded'])
  proxy.mend()
  expect(await held()).toBe(0n)
})

test('a booked operation in a round is refused, the other changes are saved', async () => {
  const { fill, held } = await createHomeWithWorks()
  const booked = newId('op')
  await writer.write(fill(1n, booked))
  const works = [fill(10n), fill(100n), fill(1_000n, booked), fill(10_000n)]
  // Group commit: the first change is saved alone, the other three are saved together.
  const outcomes = await refusals(...works.map((work) => writer.write(work)))
  expect(outcomes).toEqual(['accepted', 'accepted', 'Unknown', 'accepted'])
  expect(await held()).toBe(10_111n)
})
