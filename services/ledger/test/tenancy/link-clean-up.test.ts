import { readFile } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { loadSigner } from '@coffer/host/rpc/signing-key'
import { eventually } from '@coffer/host/testing/boot'
import { booting } from '@coffer/host/testing/booting'
import { createHousehold, type Household } from '@coffer/host/testing/household'
import { systemCaller } from '@coffer/kit/rpc/caller'
import { asCaller } from '@coffer/kit/rpc/rpc'
import { newId } from '@coffer/kit/values/id'
import { BulkChangeService } from '@coffer/proto/ledger/v1/bulk_change'
import { RuleService } from '@coffer/proto/ledger/v1/rule'
import { RuleRunService } from '@coffer/proto/ledger/v1/rule_run'
import { ScheduledService } from '@coffer/proto/ledger/v1/scheduled'
import { describe, expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { z } from 'zod'
import { auditLedger } from '../../src/money/audit.sql.ts'
import { ledger } from '../../src/service.ts'
import { markCleaned } from '../../src/tenancy/link-clean-up.sql.ts'
import { partsOf } from '../imports/file-parts.ts'
import { storedFiles } from '../imports/stored-files.ts'
import { activityCalls, neighbours } from '../neighbours.ts'
import { refusals } from '../outcomes.ts'
import { nothing, rowsUnder } from '../rows-under.ts'
import { anAccount, aRow, envelopeOf, syncedHome } from '../syncs/syncing.ts'

const booted = booting([ledger, ...neighbours()])

/** Creates an object of every kind that a bank account can own. */
async function fill(home: Household) {
  const { as, bankAccountId, envelopes, transactions, uploads } = home
  const spendingId = newId('spnd')
  await envelopes.openEnvelope({ bankAccountId, spendingId, spendingType: 'expense' }, as)
  await envelopes.transfer({ bankAccountId, toSpendingId: spendingId, amount: 500n }, as)
  const date = timestampFromDate(new Date('2026-03-02T06:00:00Z'))
  const bill = { bankAccountId, amount: 700n, date, name: 'Bill', spendingId }
  const { transaction } = await transactions.createTransaction(bill, as)
  const items = [transaction?.transactionId ?? '']
  const bulk = booted.client('ledger', BulkChangeService)
  await bulk.changeTransactions({ bankAccountId, items, delete: {} }, as)
  await bulk.changeTransactions({ bankAccountId, items, restore: {} }, as)
  const due = { bankAccountId, spendingId, due: date, targetAmount: 500n }
  const signer = loadSigner(booted.keysFolder, 'budgeting')
  const job = asCaller(systemCaller(signer, '', new Date()))
  const operation = { case: 'periodEnd' as const, value: due }
  const bookings = [{ accountId: home.accountId, operation }]
  await booted.client('ledger', ScheduledService).book({ bookings }, job)
  const content = await readFile(new URL('../../../../test/data/equal-rows.ofx', import.meta.url))
  const file = { name: 'a.ofx', contentType: 'application/octet-stream', content }
  const { upload } = await uploads.createUpload(partsOf({ bankAccountId, ...file }), as)
  const transactionUploadId = upload?.transactionUploadId ?? ''
  await eventually(
    async () => (await uploads.getUpload({ bankAccountId, transactionUploadId }, as)).upload,
    (one) => one?.status === 'complete',
  )
  const conditions = { direction: 'out' }
  await booted
    .client('ledger', RuleService)
    .createRule({ name: 'Out', conditions, actions: { tags: ['out'] } }, as)
  const runs = booted.client('ledger', RuleRunService)
  const ruleRunId = (await runs.createRuleRun({}, as)).run?.ruleRunId ?? ''
  await eventually(
    async () => (await runs.getRuleRun({ ruleRunId }, as)).run,
    (run) => run?.status === 'complete',
  )
  return { spendingId, transactionUploadId, transactionId: transaction?.transactionId ?? '' }
}

async function cleanedAt({
  accountId,
  linkId,
}: Pick<Household, 'accountId' | 'linkId'>): Promise<Date | null> {
  const Row = z.object({ cleanedAt: z.date().nullable() })
  return booted.database('ledger').pool.oneFirst(sql.type(Row)`
    SELECT cleaned_at AS "cleanedAt" FROM links
    WHERE account_id = ${accountId} AND link_id = ${linkId}`)
}

describe('a deleted link', () => {
  test('is cleaned up: plans in other services first, then all rows but its own', async () => {
    const home = await createHousehold(booted, { availableBalance: 1000n })
    const { accountId, linkId, bankAccountId, links, as } = home
    await fill(home)
    const other = await createHousehold(booted, { availableBalance: 1000n })
    await fill(other)
    const before = await rowsUnder(booted.database('ledger'), home)
    const empty = Object.keys(before).filter((table) => before[table] === 0)
    expect(empty).toEqual(['provider_transactions'])

    await links.deleteLink({ linkId }, as)
    await eventually(
      () => cleanedAt(home),
      (instant) => instant !== null,
    )
    expect(await rowsUnder(booted.database('ledger'), home)).toEqual(nothing)
    expect(activityCalls.filter((one) => one[1] === accountId)).toEqual([
      ['removePlans', accountId, [bankAccountId]],
    ])
    expect((await links.getLink({ linkId }, as)).link?.deletedAt).toBeDefined()
    expect(await storedFiles(booted.dataDir, accountId)).toEqual([])
    expect(await rowsUnder(booted.database('ledger'), other)).toEqual(before)
    expect(await auditLedger(booted.database('ledger'))).toEqual([])
  })

  test('of a feed has its connection released by feed-sync before any row is removed', async () => {
    const home = await createHousehold(booted)
    const { accountId, as, links, accounts } = home
    const feed = { institutionName: 'Feed', feedLinkId: newId('lfx') }
    const { link } = await links.createLink(feed, as)
    const linkId = link?.linkId ?? ''
    const candidate = { linkId, name: 'Fed', feedBankAccountId: newId('lbac') }
    const { bankAccount } = await accounts.createBankAccount(candidate, as)
    await links.deleteLink({ linkId }, as)
    await eventually(
      () => cleanedAt({ ...home, linkId }),
      (instant) => instant !== null,
    )
    expect(activityCalls.filter((one) => one[1] === accountId)).toEqual([
      ['releaseFeedConnection', accountId, linkId],
      ['removePlans', accountId, [bankAccount?.bankAccountId]],
    ])
    // The account has a second link, which is not deleted and keeps its bank account.
    expect(await rowsUnder(booted.database('ledger'), home)).toMatchObject({ bank_accounts: 1 })
  })

  test('leaves no row of writes that run during its deletion', async () => {
    const home = await createHousehold(booted, { availableBalance: 1000n })
    const { as, bankAccountId, linkId, links, accounts, envelopes, transactions } = home
    const { spendingId } = await fill(home)
    const date = timestampFromDate(new Date('2026-03-02T06:00:00Z'))
    const bill = { bankAccountId, amount: 1n, date, name: 'Bill', spendingId }
    const writes = [
      () => transactions.createTransaction(bill, as),
      () => envelopes.transfer({ bankAccountId, toSpendingId: spendingId, amount: 1n }, as),
      () => accounts.createBankAccount({ linkId, name: 'More' }, as),
    ]
    // Each client repeats its write until the deletion of the link makes the server refuse it.
    const clients = [...writes, ...writes].map(async (write) => {
      for (let count = 0; count < 1_000; count++) {
        const [answer] = await refusals(write())
        if (answer !== 'accepted') return { count, answer }
      }
      return null
    })
    await setTimeout(50)
    await links.deleteLink({ linkId }, as)
    const ends = await Promise.all(clients)
    const deleted = ['NotFound', 'NotFound', 'FailedPrecondition']
    expect(ends.map((end) => end?.answer)).toEqual([...deleted, ...deleted])
    await eventually(
      () => cleanedAt(home),
      (instant) => instant !== null,
    )
    expect(await rowsUnder(booted.database('ledger'), home)).toEqual(nothing)
    expect(await auditLedger(booted.database('ledger'))).toEqual([])
  })

  test('is cleaned up if a restore had brought it back during an earlier clean-up', async () => {
    const home = await createHousehold(booted, { availableBalance: 1000n })
    const { accountId, linkId, links, as } = home
    const database = booted.database('ledger')
    // Simulates the end of a clean-up that began before the restore: it must not mark the restored
    // link as cleaned.
    await markCleaned(database, { accountId, linkId }, new Date())
    expect(await cleanedAt(home)).toBeNull()
    await links.deleteLink({ linkId }, as)
    await eventually(
      () => cleanedAt(home),
      (instant) => instant !== null,
    )
    expect(await rowsUnder(database, home)).toEqual(nothing)
  })

  test('hides its bank accounts and their objects immediately', async () => {
    const home = await createHousehold(booted, { availableBalance: 1000n })
    const { as, bankAccountId, linkId, links, accounts, envelopes, transactions, uploads } = home
    const { spendingId, transactionId, transactionUploadId } = await fill(home)
    await links.deleteLink({ linkId }, as)
    const page = { bankAccountId, limit: 25, offset: 0 }
    const answers = await refusals(
      accounts.getBankAccount({ bankAccountId }, as),
      accounts.getBalances({ bankAccountId }, as),
      envelopes.listEnvelopes({ bankAccountId }, as),
      envelopes.transfer({ bankAccountId, toSpendingId: spendingId, amount: 1n }, as),
      transactions.listTransactions(page, as),
      transactions.getTransaction({ bankAccountId, transactionId }, as),
      transactions.deleteTransaction({ bankAccountId, transactionId }, as),
      uploads.getUpload({ bankAccountId, transactionUploadId }, as),
    )
    expect(answers).toEqual(Array(8).fill('NotFound'))
    // Listing the bank accounts of the deleted link is not refused: the list is empty.
    expect((await accounts.listBankAccounts({ linkId }, as)).bankAccounts).toEqual([])
    expect((await accounts.listBankAccounts({}, as)).bankAccounts).toEqual([])
    expect((await links.listLinks({}, as)).links).toEqual([])
  })

  test('leaves no rows if deleted during writes and a sync', async () => {
    const home = await syncedHome(booted)
    const { accountId, bankAccountId, linkId, links, envelopes, sync, account, as, by } = home
    const { spendingId } = await envelopeOf(home, 500n)
    const works = () => [
      envelopes.transfer({ bankAccountId, toSpendingId: spendingId, amount: 1n }, as),
      home.brings(aRow(), aRow()),
      sync.upsertBankAccounts({ linkId, accounts: [account, anAccount()] }, by),
      envelopes.openEnvelope(
        { bankAccountId, spendingId: newId('spnd'), spendingType: 'goal' },
        as,
      ),
    ]
    const rounds = (count: number) => Array.from({ length: count }, works).flat()
    const before = rounds(3)
    await before[0]
    const deleted = links.deleteLink({ linkId }, as)
    const outcomes = await refusals(...before, ...rounds(3))
    expect(outcomes.filter((one) => !['accepted', 'NotFound'].includes(one))).toEqual([])
    await deleted
    expect(await refusals(...works())).toEqual(Array(4).fill('NotFound'))
    await eventually(
      () => cleanedAt(home),
      (instant) => instant !== null,
    )
    expect(await rowsUnder(booted.database('ledger'), { accountId })).toEqual(nothing)
    expect(await auditLedger(booted.database('ledger'))).toEqual([])
  })
})
