import type { MessageInitShape } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { booting } from '@coffer/host/testing/booting'
import { createHousehold, type Household } from '@coffer/host/testing/household'
import { newId } from '@coffer/kit/values/id'
import { type BookingSchema, ScheduledService } from '@coffer/proto/ledger/v1/scheduled'
import { expect, test } from '@jest/globals'
import { deleteMoney } from '../../src/money/removal.sql.ts'
import { ledger } from '../../src/service.ts'
import { endLinks } from '../../src/tenancy/account-deletion.sql.ts'
import { importFile, statementOf, undo } from '../imports/uploading.ts'
import { aRow, byService, type SyncedHome, syncedHome } from '../syncs/syncing.ts'
import { watchVersion } from '../watching.ts'

const booted = booting([ledger])

const date = timestampFromDate(new Date('2026-03-02T06:00:00Z'))
const aBill = { amount: 70n, date, name: 'Bill' }

type Operation = NonNullable<MessageInitShape<typeof BookingSchema>['operation']>

/** Prepares a change of a bank account. Returns the function that makes the change. */
type Change<Home> = (home: Home, spendingId: string) => Promise<() => Promise<unknown>>

const changes: Record<string, Change<Household>> = {
  'a new name of the bank account': async ({ accounts, bankAccountId, as }) => {
    const update = { name: 'Daily', updateMask: { paths: ['name'] } }
    return () => accounts.updateBankAccount({ bankAccountId, ...update }, as)
  },
  'a new balance': async ({ accounts, bankAccountId, as }) => {
    const update = { limitBalance: 5n, updateMask: { paths: ['limit_balance'] } }
    return () => accounts.updateBankAccount({ bankAccountId, ...update }, as)
  },
  archiving: async ({ accounts, bankAccountId, as }) => {
    return () => accounts.archiveBankAccount({ bankAccountId }, as)
  },
  'opening an envelope': async ({ envelopes, bankAccountId, as }) => {
    const spendingId = newId('spnd')
    return () => envelopes.openEnvelope({ bankAccountId, spendingId, spendingType: 'goal' }, as)
  },
  'moving money': async ({ envelopes, bankAccountId, as }, toSpendingId) => {
    return () => envelopes.transfer({ bankAccountId, toSpendingId, amount: 5n }, as)
  },
  'closing an envelope': async ({ envelopes, bankAccountId, as }, spendingId) => {
    return () => envelopes.closeEnvelope({ bankAccountId, spendingId }, as)
  },
  'a transaction': async (home) => () => bill(home),
  'a transaction from an envelope': async (home, spendingId) => () => bill(home, { spendingId }),
  'transactions in one request': async ({ transactions, bankAccountId, as }) => {
    const body = { bankAccountId, transactions: [aBill, aBill] }
    return () => transactions.createTransactions(body, as)
  },
  'a change of a transaction': async (home) => {
    const update = { name: 'Gas', updateMask: { paths: ['name'] } }
    const key = await bill(home)
    return () => home.transactions.updateTransaction({ ...key, ...update }, home.as)
  },
  'a deletion that leaves the row': async (home) => {
    const key = await bill(home)
    return () => home.transactions.deleteTransaction({ ...key, soft: true }, home.as)
  },
  'a deletion': async (home) => {
    const key = await bill(home)
    return () => home.transactions.deleteTransaction(key, home.as)
  },
  'an import': async (home) => () => importFile(home, statementOf({ a: '-1.00' })),
  'undoing an import': async (home) => {
    const { transactionUploadId } = await importFile(home, statementOf({ a: '-1.00', b: '-2.00' }))
    return () => undo(home, transactionUploadId)
  },
  'a funding': async ({ accountId, bankAccountId }, spendingId) => {
    const lines = [{ spendingId, amount: 5n, ceiling: 100n }]
    const run = { fundingRunId: newId('run'), fundingScheduleId: newId('fund'), lines }
    return () => book(accountId, { case: 'funding', value: { bankAccountId, ...run } })
  },
  'the end of a period': async ({ accountId, bankAccountId }, spendingId) => {
    const value = { bankAccountId, spendingId, due: date, targetAmount: 5n }
    return () => book(accountId, { case: 'periodEnd', value })
  },
  'forgetting a funding schedule': async ({ transactions, bankAccountId, as }) => {
    const fundingScheduleId = newId('fund')
    return () => transactions.forgetSchedule({ bankAccountId, fundingScheduleId }, as)
  },
  'removal of the link': async ({ links, linkId, as }) => {
    return () => links.deleteLink({ linkId }, as)
  },
  'a statement of a clean-up': async (home) => {
    await home.links.deleteLink({ linkId: home.linkId }, home.as)
    return () => deleteMoney(booted.database('ledger'), home, 1)
  },
  'deletion of the account': async ({ accountId }) => {
    return () => endLinks(booted.database('ledger'), accountId, new Date())
  },
}

const synced: Record<string, Change<SyncedHome>> = {
  'detaching its link from the aggregator': async ({ sync, linkId, by }) => {
    return () => sync.detachLink({ linkId }, by)
  },
  'what a sync says of the bank account': async ({ sync, linkId, account, by }) => {
    const renamed = { ...account, officialName: 'Golden Checking' }
    return () => sync.upsertBankAccounts({ linkId, accounts: [renamed] }, by)
  },
  'its absence from a complete list': async ({ sync, linkId, by }) => {
    return () => sync.upsertBankAccounts({ linkId, accounts: [], isComplete: true }, by)
  },
  'a page of a sync': async ({ brings }) => {
    return () => brings(aRow())
  },
  'what a sync takes back': async ({ brings, loses }) => {
    const row = aRow()
    await brings(row)
    return () => loses(row.providerTransactionId)
  },
  'balances of a sync': async ({ sync, bankAccountId, by }) => {
    return () => sync.setBalances({ bankAccountId, availableBalance: 7n }, by)
  },
}

async function bill({ transactions, bankAccountId, as }: Household, more: object = {}) {
  const { transaction } = await transactions.createTransaction(
    { bankAccountId, ...aBill, ...more },
    as,
  )
  return { bankAccountId, transactionId: transaction?.transactionId ?? '' }
}

/** Books an operation by the RPC that the hourly job of budgeting calls. */
function book(accountId: string, operation: Operation) {
  const scheduled = booted.client('ledger', ScheduledService)
  return scheduled.book(
    { bookings: [{ accountId, operation }] },
    byService(booted, '', 'budgeting'),
  )
}

/** Makes a change of a bank account with an envelope. Expects that the version rises. */
async function makeIn<Home extends Household | SyncedHome>(home: Home, prepare: Change<Home>) {
  const { envelopes, bankAccountId, as } = home
  const spendingId = newId('spnd')
  await envelopes.openEnvelope({ bankAccountId, spendingId, spendingType: 'expense' }, as)
  const change = await prepare(home, spendingId)
  const hasRisen = watchVersion(booted.database('ledger'), home)
  await hasRisen()
  expect(await hasRisen()).toBe(false)
  await change()
  expect(await hasRisen()).toBe(true)
  expect(await hasRisen()).toBe(false)
}

test.each(Object.entries(changes))('%s raises the version', async (_, prepare) => {
  await makeIn(await createHousehold(booted, { availableBalance: 1000n }), prepare)
})

test.each(Object.entries(synced))('%s raises the version', async (_, prepare) => {
  await makeIn(await syncedHome(booted), prepare)
})
