import { fromBinary } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { loadSigner } from '@coffer/host/rpc/signing-key'
import { eventually } from '@coffer/host/testing/boot'
import { booting } from '@coffer/host/testing/booting'
import { createHousehold, type Household } from '@coffer/host/testing/household'
import { systemCaller } from '@coffer/kit/rpc/caller'
import { asCaller } from '@coffer/kit/rpc/rpc'
import { newId } from '@coffer/kit/values/id'
import { EnvelopesChangedSchema } from '@coffer/proto/ledger/v1/events'
import { ScheduledService } from '@coffer/proto/ledger/v1/scheduled'
import { SimilarService } from '@coffer/proto/ledger/v1/similar'
import type { CallOptions } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { z } from 'zod'
import { auditLedger } from '../../src/money/audit.sql.ts'
import { removeBankAccounts } from '../../src/money/removal.sql.ts'
import { ledger } from '../../src/service.ts'
import { neighbours } from '../neighbours.ts'
import { refusals } from '../outcomes.ts'
import { runSweep } from '../tenancy/sweeping.ts'

const booted = booting([ledger, ...neighbours()], { COFFER_SIMILAR_QUIET_SECONDS: '0.1' })

const Payload = z.object({ payload: z.instanceof(Buffer) })
const midnight = timestampFromDate(new Date('2026-03-02T06:00Z'))

function asService(name: string, accountId = ''): CallOptions {
  const caller = systemCaller(loadSigner(booted.keysFolder, name), accountId, new Date())
  return asCaller(caller)
}

type Home = Household & { spendingId: string }

async function saving(): Promise<Home> {
  const home = await createHousehold(booted, { availableBalance: 1000n, currentBalance: 1000n })
  const spendingId = newId('spnd')
  const { bankAccountId, as } = home
  await home.envelopes.openEnvelope({ bankAccountId, spendingId, spendingType: 'expense' }, as)
  return { ...home, spendingId }
}

/**
 * Returns two bookings of the hourly job: a funding that deposits 500 minor units and gives an
 * envelope 200, and the end of the envelope's period with a bill of 150.
 */
function bookingsOf({ accountId, bankAccountId, spendingId }: Home) {
  const automatic = { transactionId: newId('txn'), date: midnight }
  const funding = {
    bankAccountId,
    fundingRunId: newId('run'),
    fundingScheduleId: newId('fund'),
    lines: [{ spendingId, amount: 200n, ceiling: 900n }],
    deposit: { ...automatic, name: 'Paycheck ACME', amount: -500n },
  }
  const rent = { ...automatic, transactionId: newId('txn'), name: 'Rent', amount: 150n }
  const end = { bankAccountId, spendingId, due: midnight, targetAmount: 200n, transaction: rent }
  return [
    { accountId, operation: { case: 'funding' as const, value: funding } },
    { accountId, operation: { case: 'periodEnd' as const, value: end } },
  ] as const
}

const scheduled = () => booted.client('ledger', ScheduledService)

/** Returns the balances `free` and `expenses` of the bank account. */
async function freeAndExpenses({ balances }: Home) {
  const { free, expenses } = (await balances()) ?? {}
  return [free, expenses]
}

test('operations of many bank accounts are booked in one call, and found afterwards', async () => {
  const homes = [await saving(), await saving(), await saving()]
  const bookings = homes.flatMap(bookingsOf)
  const { booked } = await scheduled().book({ bookings }, asService('budgeting'))
  const held = [200n, 0n]
  expect(booked.map(({ envelopes }) => envelopes[0]?.currentAmount)).toEqual(
    homes.flatMap(() => held),
  )
  for (const home of homes) expect(await freeAndExpenses(home)).toEqual([1350n, 0n])
  const again = await scheduled().book({ bookings: bookings.toReversed() }, asService('budgeting'))
  expect(again.booked).toEqual(booked.toReversed())
  const keys = homes.map(({ accountId, bankAccountId }) => ({ accountId, bankAccountId }))
  const found = await scheduled().lookUp(
    { bankAccounts: [...keys, { accountId: newId('acct'), bankAccountId: newId('bac') }] },
    asService('budgeting'),
  )
  expect(found.bankAccounts).toMatchObject(
    keys.map((key, index) => ({
      ...key,
      linkType: 'manual',
      archived: false,
      envelopes: [{ spendingId: homes[index]?.spendingId, currentAmount: 0n }],
    })),
  )
})

test('a look-up keeps accounts apart whose bank accounts have one ID', async () => {
  const [home, other] = [await saving(), await createHousehold(booted)]
  const { bankAccountId } = home
  const { accountId: account_id, linkId: link_id } = other
  await booted.database('ledger').pool.query(sql.unsafe`
    INSERT INTO bank_accounts
    SELECT (jsonb_populate_record(b, ${sql.jsonb({ account_id, link_id })})).*
    FROM bank_accounts b WHERE account_id = ${home.accountId}`)
  const keys = [home, other].map(({ accountId }) => ({ accountId, bankAccountId }))
  const found = await scheduled().lookUp({ bankAccounts: keys }, asService('budgeting'))
  const counts = found.bankAccounts.map((one) => [one.accountId, one.envelopes.length])
  expect(Object.fromEntries(counts)).toEqual({ [home.accountId]: 1, [other.accountId]: 0 })
  // The copy has balances without a journal, which the audit of another test would report.
  await booted.database('ledger').pool.query(sql.unsafe`
    DELETE FROM bank_accounts
    WHERE account_id = ${account_id} AND bank_account_id = ${bankAccountId}`)
})

test('a booking of many envelopes emits events of at most 200 envelopes each', async () => {
  const home = await saving()
  const { bankAccountId, accountId, as } = home
  const more = Array.from({ length: 400 }, () => newId('spnd'))
  await Promise.all(
    more.map((spendingId) =>
      home.envelopes.openEnvelope({ bankAccountId, spendingId, spendingType: 'expense' }, as),
    ),
  )
  const [{ operation }] = bookingsOf(home)
  const lines = [home.spendingId, ...more].map((spendingId) => {
    return { spendingId, amount: 1n, ceiling: 900n }
  })
  const value = { ...operation.value, lines }
  const bookings = [{ accountId, operation: { ...operation, value } }]
  await scheduled().book({ bookings }, asService('budgeting'))
  const payloads = await booted.database('ledger').pool.anyFirst(sql.type(Payload)`
    SELECT payload FROM changes
    WHERE account_id = ${accountId} AND type = ${EnvelopesChangedSchema.typeName}
    ORDER BY change_id`)
  const told = payloads.map((payload) => fromBinary(EnvelopesChangedSchema, payload).envelopes)
  const booked = told.slice(-3)
  expect(booked.map(({ length }) => length)).toEqual([200, 200, 1])
  expect(new Set(booked.flat().map(({ spendingId }) => spendingId)).size).toBe(401)
})

test('a refused booking refuses the call, and a repetition books none again', async () => {
  const [good, archived] = [await saving(), await saving()]
  await archived.accounts.archiveBankAccount({ bankAccountId: archived.bankAccountId }, archived.as)
  const bookings = [good, archived].flatMap(bookingsOf)
  const book = () => refusals(scheduled().book({ bookings }, asService('budgeting')))
  expect(await book()).toEqual(['FailedPrecondition'])
  expect(await book()).toEqual(['FailedPrecondition'])
  expect(await freeAndExpenses(good)).toEqual([1350n, 0n])
})

test('one account cannot name the bank account of another', async () => {
  const [mine, other] = [await saving(), await saving()]
  const bookings = bookingsOf(other).map((one) => ({ ...one, accountId: mine.accountId }))
  expect(await refusals(scheduled().book({ bookings }, asService('budgeting')))).toEqual([
    'NotFound',
  ])
  expect(await freeAndExpenses(other)).toEqual([1000n, 0n])
})

test('only budgeting may call', async () => {
  const home = await saving()
  const services = ['gateway', 'feed-sync'].map((name) => asService(name, home.accountId))
  const calls = [home.as, ...services]
  const outcomes = await refusals(
    ...calls.flatMap((options) => [
      scheduled().book({ bookings: [...bookingsOf(home)] }, options),
      scheduled().lookUp({ bankAccounts: [] }, options),
    ]),
  )
  expect(new Set(outcomes)).toEqual(new Set(['PermissionDenied']))
})

test('concurrent repetitions, with transfers between them, are booked once', async () => {
  const homes = [await saving(), await saving()]
  const bookings = homes.flatMap(bookingsOf)
  const transfers = homes.flatMap(({ envelopes, bankAccountId, spendingId, as }) =>
    Array.from({ length: 10 }, () =>
      envelopes.transfer({ bankAccountId, toSpendingId: spendingId, amount: 1n }, as),
    ),
  )
  const several = [1, 2, 3].map((index) =>
    scheduled().book(
      { bookings: index === 2 ? bookings.toReversed() : bookings },
      asService('budgeting'),
    ),
  )
  const [first] = await Promise.all(several)
  await Promise.all(transfers)
  const again = await scheduled().book({ bookings }, asService('budgeting'))
  expect(again.booked).toEqual(first?.booked)
  for (const home of homes) {
    const { available } = (await home.balances()) ?? {}
    expect(available).toBe(1350n)
  }
  expect(await auditLedger(booted.database('ledger'))).toEqual([])
})

test('a forgotten schedule is cleared from its transactions, under a new version', async () => {
  const home = await saving()
  const { bankAccountId, accountId, as, transactions } = home
  const ids: string[] = []
  for (const [{ operation }] of [bookingsOf(home), bookingsOf(home)]) {
    ids.push(operation.value.fundingScheduleId)
    await scheduled().book({ bookings: [{ accountId, operation }] }, asService('budgeting'))
  }
  const made = async () => {
    const page = { bankAccountId, limit: 25, offset: 0 }
    const listed = await transactions.listTransactions(page, as)
    return listed.transactions.map((one) => one.createdByFundingScheduleId ?? '').toSorted()
  }
  const version = () =>
    booted.database('ledger').pool.oneFirst(sql.type(z.object({ version: z.bigint() }))`
      SELECT version FROM bank_accounts WHERE account_id = ${accountId}`)
  expect(await made()).toEqual(ids.toSorted())
  const before = await version()
  const [kept = '', gone = ''] = ids
  const forgotten = { bankAccountId, fundingScheduleId: gone }
  await transactions.forgetSchedule(forgotten, asService('budgeting', accountId))
  expect(await version()).toBeGreaterThan(before)
  await transactions.forgetSchedule(forgotten, asService('budgeting', accountId))
  expect(await made()).toEqual(['', kept])
  await home.links.deleteLink({ linkId: home.linkId }, as)
  expect(
    await transactions.forgetSchedule(forgotten, asService('budgeting', accountId)),
  ).toBeDefined()
})

test('forgetting a schedule succeeds while its bank account is removed', async () => {
  const { accountId, bankAccountId, transactions } = await saving()
  const key = { bankAccountId, fundingScheduleId: newId('fund') }
  const removed = Promise.withResolvers<void>()
  const forgotten = removed.promise.then(() =>
    refusals(transactions.forgetSchedule(key, asService('budgeting', accountId))),
  )
  await booted.database('ledger').transaction(async (tx) => {
    await removeBankAccounts(tx, { accountId }, new Date())
    removed.resolve()
    await eventually(
      () =>
        tx.oneFirst(sql.type(z.object({ waiting: z.bigint() }))`
          SELECT count(*) AS waiting FROM pg_locks
          WHERE NOT granted AND transactionid = pg_current_xact_id()::xid`),
      (waiting) => waiting > 0n,
    )
  })
  expect(await forgotten).toEqual(['accepted'])
})

test('the search for similar transactions includes automatic ones', async () => {
  const home = await saving()
  const { bankAccountId, as } = home
  const similar = booted.client('ledger', SimilarService)
  const other = { bankAccountId, amount: 1n, date: midnight }
  for (const name of ['Lunch', 'Electric Company', 'Netflix Los Gatos', 'Train Station']) {
    await home.transactions.createTransaction({ ...other, name }, as)
  }
  const made: string[] = []
  for (let run = 0; run < 2; run += 1) {
    const [{ accountId, operation }] = bookingsOf(home)
    made.push(operation.value.deposit.transactionId)
    await scheduled().book({ bookings: [{ accountId, operation }] }, asService('budgeting'))
  }
  const key = { bankAccountId, transactionId: made[0] ?? '' }
  const { cluster } = await eventually(
    async () => {
      await runSweep(booted, 'findWaitingSimilar')
      return similar.getCluster(key, as)
    },
    (found) => found.cluster !== undefined,
  )
  expect(cluster?.members.toSorted()).toEqual(made.toSorted())
})
