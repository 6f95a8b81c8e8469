import { eventually } from '@coffer/host/testing/boot'
import { booting } from '@coffer/host/testing/booting'
import { changeOf, emit } from '@coffer/kit/events/changes'
import { newId } from '@coffer/kit/values/id'
import { ledger } from '@coffer/ledger/service'
import { EnvelopesChangedSchema } from '@coffer/proto/ledger/v1/events'
import { UploadService } from '@coffer/proto/ledger/v1/upload'
import { expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { z } from 'zod'
import { budgeting } from '../../src/service.ts'
import { at, createBudgetHousehold, type Household } from '../household.ts'

const booted = booting([ledger, budgeting], {}, '2023-10-09T13:32Z')

const Stored = z.object({ held: z.bigint(), contribution: z.bigint(), version: z.bigint() })

/** Returns the stored amount and contribution (minor units) of a plan, and the amounts' version. */
function stored(spendingId: string) {
  return booted.database('budgeting').pool.one(sql.type(Stored)`
    SELECT current_amount AS held, next_contribution_amount AS contribution,
      amounts_version AS version
    FROM spending WHERE spending_id = ${spendingId}`)
}

type Write = (home: Household, spendingId: string, transactionId: string) => Promise<unknown>

const tea = { amount: 100n, date: at('2023-10-09T05:00Z'), name: 'Tea' }

const statement = `<OFX><STMTRS><CURDEF>USD<BANKTRANLIST><STMTTRN><TRNTYPE>POS
<DTPOSTED>20231009<TRNAMT>-3.00<FITID>a<NAME>UPLOADED</STMTTRN></BANKTRANLIST></STMTRS></OFX>`

/** Uploads one transaction, assigns it to the envelope, and undoes the upload. */
const undoUpload: Write = async ({ transactions, bankAccountId, as }, spendingId) => {
  const uploads = booted.client('ledger', UploadService)
  const file = { name: 'a.ofx', contentType: 'application/octet-stream' }
  const sent = async function* () {
    yield { part: { of: { case: 'start' as const, value: { bankAccountId, ...file } } } }
    const value = new TextEncoder().encode(statement)
    yield { part: { of: { case: 'bytes' as const, value } } }
    yield { part: { of: { case: 'end' as const, value: {} } } }
  }
  const { upload } = await uploads.createUpload(sent(), as)
  const key = { bankAccountId, transactionUploadId: upload?.transactionUploadId ?? '' }
  await eventually(
    () => uploads.getUpload(key, as),
    (got) => got.upload?.status === 'complete',
  )
  const listed = await transactions.listTransactions({ bankAccountId, limit: 10 }, as)
  const uploaded = listed.transactions.find(({ name }) => name === 'UPLOADED')
  const transactionId = uploaded?.transactionId ?? ''
  const assigned = { spendingId, updateMask: { paths: ['spending_id'] } }
  await transactions.updateTransaction({ bankAccountId, transactionId, ...assigned }, as)
  const { envelopes } = await uploads.undoUpload(key, as)
  expect(envelopes).toMatchObject([{ spendingId, currentAmount: 800n }])
}

/** Names and functions of writes to the ledger, and the envelope's amount after each. */
const writes: [string, Write, bigint][] = [
  [
    'a transfer',
    ({ envelopes, bankAccountId, as }, toSpendingId) =>
      envelopes.transfer({ bankAccountId, toSpendingId, amount: 200n }, as),
    1000n,
  ],
  [
    'a new transaction',
    ({ transactions, bankAccountId, as }, spendingId) =>
      transactions.createTransaction({ ...tea, bankAccountId, spendingId }, as),
    700n,
  ],
  [
    'many new transactions',
    ({ transactions, bankAccountId, as }, spendingId) => {
      const one = { ...tea, spendingId }
      return transactions.createTransactions({ bankAccountId, transactions: [one, one] }, as)
    },
    600n,
  ],
  [
    'another amount',
    ({ transactions, bankAccountId, as }, _, transactionId) => {
      const change = { amount: 500n, updateMask: { paths: ['amount'] } }
      return transactions.updateTransaction({ bankAccountId, transactionId, ...change }, as)
    },
    500n,
  ],
  [
    'a transaction taken off',
    ({ transactions, bankAccountId, as }, _, transactionId) => {
      const change = { updateMask: { paths: ['spending_id'] } }
      return transactions.updateTransaction({ bankAccountId, transactionId, ...change }, as)
    },
    1000n,
  ],
  [
    'a deleted transaction',
    ({ transactions, bankAccountId, as }, _, transactionId) =>
      transactions.deleteTransaction(
        { bankAccountId, transactionId, adjustsBalance: true, soft: false },
        as,
      ),
    1000n,
  ],
  ['an undone upload', undoUpload, 800n],
]

test.each(writes)('after %s the event updates the plan', async (_, write, held) => {
  const home = await createBudgetHousehold(booted)
  const { envelopes, transactions, bankAccountId, as } = home
  const { fundingScheduleId } = await home.pay()
  const { spendingId } = await home.expense(fundingScheduleId, { targetAmount: 3000n })
  await envelopes.transfer({ bankAccountId, toSpendingId: spendingId, amount: 1000n }, as)
  const spent = { ...tea, amount: 200n, bankAccountId, spendingId }
  const { transaction } = await transactions.createTransaction(spent, as)
  await write(home, spendingId, transaction?.transactionId ?? '')
  const [shown] = await home.list()
  // Two paydays are left before the due date.
  expect(shown).toMatchObject({
    currentAmount: held,
    nextContributionAmount: (3000n - held) / 2n,
  })
  const { envelopes: written } = await envelopes.listEnvelopes({ bankAccountId }, as)
  const kept = await eventually(
    () => stored(spendingId),
    ({ version }) => version === written[0]?.version,
  )
  expect(kept).toMatchObject({ held, contribution: shown?.nextContributionAmount })
})

test('events of many envelopes and of few are all stored', async () => {
  const home = await createBudgetHousehold(booted)
  const { accountId, bankAccountId } = home
  const { fundingScheduleId } = await home.pay()
  const plans = [await home.expense(fundingScheduleId), await home.expense(fundingScheduleId)]
  const ids = [...Array.from({ length: 1_300 }, () => newId('spnd')), plans[0]?.spendingId ?? '']
  const changed = (spendingIds: string[]) => {
    const amounts = { bankAccountId, currentAmount: 300n, version: 1_000n }
    const envelopes = spendingIds.map((spendingId) => ({ spendingId, ...amounts }))
    const subject = { accountId, entityId: bankAccountId, version: 0n }
    return changeOf(EnvelopesChangedSchema, subject, { accountId, envelopes })
  }
  // Older releases publish events with any number of envelopes.
  const large = Array.from({ length: 8 }, () => changed(ids))
  const small = changed([plans[1]?.spendingId ?? ''])
  await booted.database('ledger').transaction((tx) => emit(tx, ...large, small))
  for (const plan of plans) {
    const kept = await eventually(
      () => stored(plan.spendingId),
      ({ version }) => version === 1_000n,
    )
    expect(kept).toMatchObject({ held: 300n })
  }
})
