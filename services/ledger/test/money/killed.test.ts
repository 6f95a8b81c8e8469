import type { MessageInitShape } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { booting } from '@coffer/host/testing/booting'
import { deletingIdentity } from '@coffer/host/testing/deleting-identity'
import { headers } from '@coffer/kit/rpc/rpc'
import { mortalOf } from '@coffer/kit/testing/mortal'
import { newId } from '@coffer/kit/values/id'
import type { BankAccount } from '@coffer/proto/ledger/v1/bank_account'
import { BulkChangeService } from '@coffer/proto/ledger/v1/bulk_change'
import { type FundingSchema, ScheduledService } from '@coffer/proto/ledger/v1/scheduled'
import { Code, ConnectError } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { auditLedger } from '../../src/money/audit.sql.ts'
import { ledger } from '../../src/service.ts'
import { createExpenseHousehold } from '../funded-household.ts'
import { sendFile, statementOf } from '../imports/uploading.ts'
import { anAccount, aRow, byService, syncedHome } from '../syncs/syncing.ts'

const mortal = mortalOf(ledger)
const booted = booting([deletingIdentity, mortal.definition], {
  COFFER_SIMILAR_QUIET_SECONDS: '3600',
})

/**
 * A test kills `run` before each step (start or end of a database call). `look` returns its effect.
 */
interface Path {
  run: () => Promise<unknown>
  look: () => Promise<unknown>
  /** Only every n-th step is tested (default: each). Odd, as starts and ends of calls alternate. */
  stride?: number
}

const date = timestampFromDate(new Date('2026-03-02T06:00:00Z'))
const bill = { name: 'Bill', amount: 300n, date, adjustsBalance: true }

/** Creates a household with 1,000.00, 10.00 of it in an expense. `look` reads its amounts. */
async function createHomeWithExpense() {
  const home = await createExpenseHousehold(booted)
  const { envelopes, transactions, bankAccountId, spendingId, as } = home
  await envelopes.transfer({ bankAccountId, toSpendingId: spendingId, amount: 1_000n }, as)
  const key = { [headers.idempotencyKey]: newId('k'), [headers.bodyHash]: 'ab' }
  const keyed = { ...as, headers: key }
  const look = async () => {
    const { available, current, expenses } = (await home.balances()) ?? {}
    const listed = await transactions.listTransactions({ bankAccountId, limit: 100 }, as)
    const held = (await envelopes.listEnvelopes({ bankAccountId }, as)).envelopes
    const amounts = held.map(({ currentAmount }) => currentAmount)
    return [available, current, expenses, listed.transactions.length, ...amounts].map(Number)
  }
  return { ...home, keyed, look }
}

/** Returns the ledger's Temporal activities by name. `Subject` is the type of their argument. */
const activities = <Subject>() =>
  mortal.activities() as Record<string, (of: Subject) => Promise<unknown>>

/** Uploads a file with `rowCount` rows. Returns `run`, which calls the activities of its import. */
async function fileImport(rowCount: number) {
  const home = await createHomeWithExpense()
  const rows = Array.from({ length: rowCount }, (_, id) => [`r${id}`, '-1.00'])
  const balances = { ledger: '700.00', available: '600.00' }
  const file = new TextEncoder().encode(statementOf(Object.fromEntries(rows), balances))
  const key = { accountId: home.accountId, ...(await sendFile(home, file)) }
  const { startImport, importFile } = activities<typeof key>()
  const run = async () => {
    await startImport?.(key)
    await importFile?.(key)
  }
  return { home, key, run }
}

const paths: Record<string, () => Promise<Path>> = {
  'a request': async () => {
    const { transactions, bankAccountId, spendingId, keyed, look } = await createHomeWithExpense()
    return {
      run: () => transactions.createTransaction({ ...bill, bankAccountId, spendingId }, keyed),
      look,
    }
  },
  'a transfer': async () => {
    const { envelopes, bankAccountId, spendingId, keyed, look } = await createHomeWithExpense()
    const body = { bankAccountId, fromSpendingId: spendingId, amount: 10n }
    return { run: () => envelopes.transfer(body, keyed), look }
  },
  'many in one request': async () => {
    const { transactions, bankAccountId, spendingId, keyed, look } = await createHomeWithExpense()
    const body = { bankAccountId, transactions: [bill, { ...bill, spendingId }] }
    return { run: () => transactions.createTransactions(body, keyed), look }
  },
  'the closing of an envelope': async () => {
    const { envelopes, bankAccountId, spendingId, as, look } = await createHomeWithExpense()
    return { run: () => envelopes.closeEnvelope({ bankAccountId, spendingId }, as), look }
  },
  'a booking of the hourly job': async () => {
    const { accountId, bankAccountId, spendingId, look } = await createHomeWithExpense()
    const lines = [{ spendingId, amount: 100n, ceiling: 10_000n }]
    const ids = { fundingRunId: newId('run'), fundingScheduleId: newId('fund') }
    return { run: () => bookFunding(accountId, { bankAccountId, ...ids, lines }), look }
  },
  'the import of a file': async () => {
    // 600 rows are more than one INSERT takes, so the import makes two INSERTs.
    const { home, run } = await fileImport(600)
    return { run, look: home.look, stride: 3 }
  },
  'the undo of an import': async () => {
    const { home, key, run } = await fileImport(3)
    await run()
    return { run: () => home.uploads.undoUpload(key, home.as), look: home.look }
  },
  'a page of a sync': async () => {
    const home = await syncedHome(booted)
    const providerRows = [aRow(), aRow({ amount: 5n })]
    return {
      run: () => home.brings(...providerRows),
      look: async () => (await home.all()).map(({ amount }) => Number(amount)),
    }
  },
  'a deleted link': async () => {
    const { links, linkId, accountId, as, look } = await createHomeWithExpense()
    const { removeLinkRows } = activities<{ accountId: string; linkId: string }>()
    return {
      run: async () => {
        const { link } = await links.getLink({ linkId }, as)
        if (!link?.deletedAt) await links.deleteLink({ linkId }, as)
        await removeLinkRows?.({ accountId, linkId })
      },
      look: () => look().catch(() => 'gone'),
    }
  },
  'the deletion of an account': async () => {
    const { accountId, look } = await createHomeWithExpense()
    const { closeAccount, removeAccountRows } = activities<string>()
    return {
      run: async () => {
        await closeAccount?.(accountId)
        await removeAccountRows?.(accountId)
      },
      look: () => look().catch(() => 'gone'),
      stride: 3,
    }
  },
  'a new bank account': async () => {
    const { accounts, linkId, keyed, as } = await createHomeWithExpense()
    const body = { linkId, name: 'Savings', availableBalance: 500n, currentBalance: 500n }
    return {
      run: () => accounts.createBankAccount(body, keyed),
      look: () => named(accounts.listBankAccounts({ linkId }, as)),
    }
  },
  'a new bank account of a sync': async () => {
    const { sync, bankAccounts, linkId, account, as, by } = await syncedHome(booted)
    const listed = { linkId, accounts: [account, anAccount({ mask: '0043', name: 'Savings' })] }
    return {
      run: () => sync.upsertBankAccounts(listed, by),
      look: () => named(bankAccounts.listBankAccounts({ linkId }, as)),
    }
  },
  'a change of a bank account': async () => {
    const { accounts, bankAccountId, as, look } = await createHomeWithExpense()
    const update = { bankAccountId, availableBalance: 7n, name: 'Daily' }
    const updateMask = { paths: ['available_balance', 'name'] }
    return { run: () => accounts.updateBankAccount({ ...update, updateMask }, as), look }
  },
  'the archiving of a bank account': async () => {
    const { accounts, bankAccountId, as } = await createHomeWithExpense()
    return {
      run: () => accounts.archiveBankAccount({ bankAccountId }, as).catch(unlessDone),
      look: async () => (await accounts.describeBankAccount({ bankAccountId }, as)).archived,
    }
  },
  'a change of a transaction': async () => {
    const { transactions, spendingId, as, look, key } = await householdWithBill()
    const update = { ...key, spendingId, amount: 200n }
    const updateMask = { paths: ['spending_id', 'amount'] }
    return { run: () => transactions.updateTransaction({ ...update, updateMask }, as), look }
  },
  'the deletion of a transaction': async () => {
    const { transactions, as, look, key } = await householdWithBill()
    const deletion = { ...key, adjustsBalance: true }
    return { run: () => transactions.deleteTransaction(deletion, as).catch(unlessDone), look }
  },
  'a change of many transactions': () => bulkPath('change'),
  'the undo of a change of many': () => bulkPath('undo'),
  'a new envelope': async () => {
    const { envelopes, bankAccountId, as, look } = await createHomeWithExpense()
    const body = { bankAccountId, spendingId: newId('spnd'), spendingType: 'goal' }
    return { run: () => envelopes.openEnvelope(body, as), look }
  },
  'the forgetting of a schedule': async () => {
    const { accountId, bankAccountId, transactions, as } = await createHomeWithExpense()
    const fundingScheduleId = newId('fund')
    const deposit = { transactionId: newId('txn'), name: 'Pay', amount: 5n, date }
    const run = { fundingRunId: newId('run'), fundingScheduleId, lines: [], deposit }
    await bookFunding(accountId, { bankAccountId, ...run })
    const { pool } = booted.database('ledger')
    return {
      run: () => transactions.forgetSchedule({ bankAccountId, fundingScheduleId }, as),
      look: () =>
        pool.exists(sql.unsafe`
          SELECT FROM transactions
          WHERE account_id = ${accountId} AND created_by_funding_schedule_id IS NOT NULL`),
    }
  },
  'the balances of a sync': async () => {
    const { sync, bankAccounts, bankAccountId, linkId, as, by } = await syncedHome(booted)
    const stated = { bankAccountId, availableBalance: 7n, currentBalance: 9n }
    return {
      run: () => sync.setBalances(stated, by),
      look: () => named(bankAccounts.listBankAccounts({ linkId }, as)),
    }
  },
  'what a sync takes back': async () => {
    const { brings, loses, all } = await syncedHome(booted)
    const [providerRow, other] = [aRow(), aRow({ amount: 5n })]
    await brings(providerRow, other)
    return {
      run: () => loses(providerRow.providerTransactionId, other.providerTransactionId),
      look: async () => (await all()).length,
    }
  },
}

/** Creates a household with a transaction of 3.00. */
async function householdWithBill() {
  const home = await createHomeWithExpense()
  const { transactions, bankAccountId, spendingId, as } = home
  const { transaction } = await transactions.createTransaction(
    { ...bill, bankAccountId, spendingId },
    as,
  )
  return { ...home, key: { bankAccountId, transactionId: transaction?.transactionId ?? '' } }
}

/** Takes a transaction out of its envelope by a bulk request, or undoes that. */
async function bulkPath(what: 'change' | 'undo'): Promise<Path> {
  const { bankAccountId, keyed, as, look, key } = await householdWithBill()
  const bulk = booted.client('ledger', BulkChangeService)
  const items = [key.transactionId]
  const request = { bankAccountId, items, set: { updateMask: { paths: ['spending_id'] } } }
  const change = () => bulk.changeTransactions(request, keyed)
  if (what === 'change') return { run: change, look }
  const { operationId = '' } = await change()
  return { run: () => bulk.undoOperation({ operationId }, as), look }
}

/** Books a funding by the RPC that the hourly job of budgeting calls. */
function bookFunding(accountId: string, value: MessageInitShape<typeof FundingSchema>) {
  const bookings = [{ accountId, operation: { case: 'funding' as const, value } }]
  const scheduled = booted.client('ledger', ScheduledService)
  return scheduled.book({ bookings }, byService(booted, '', 'budgeting'))
}

/** Returns name and balances of each bank account. */
async function named(list: Promise<{ bankAccounts: BankAccount[] }>) {
  const { bankAccounts } = await list
  return bankAccounts.map(({ name, availableBalance, currentBalance }) =>
    [name, availableBalance, currentBalance].join(' '),
  )
}

/**
 * Ignores the error of a repeated call if it shows that the first call was committed; else rethrows
 * it.
 */
function unlessDone(error: unknown): void {
  const { code } = ConnectError.from(error)
  if (code !== Code.NotFound && code !== Code.FailedPrecondition) throw error
}

test.each(Object.entries(paths))(
  '%s, killed before any step, is committed as a whole or not at all',
  async (_, make) => {
    const steps: unknown[] = []
    for (let step = 1, wasKilled = true; wasKilled; ) {
      const { run, look, stride = 1 } = await make()
      const before = await look()
      mortal.killBefore(step)
      step += stride
      const outcome = await run().then(
        () => 'done',
        () => 'no answer',
      )
      wasKilled = mortal.revive()
      const left = await look()
      await run()
      const after = await look()
      expect(after).not.toEqual(before)
      expect([before, after]).toContainEqual(left)
      if (outcome === 'done') expect(left).toEqual(after)
      steps.push(left)
    }
    // Both outcomes must occur: a kill before the commit, and a kill after it.
    expect(new Set(steps.map(String)).size).toBeGreaterThan(1)
    expect(await auditLedger(booted.database('ledger'))).toEqual([])
  },
)
