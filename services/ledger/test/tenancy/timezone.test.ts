import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { loadSigner } from '@coffer/host/rpc/signing-key'
import { eventually } from '@coffer/host/testing/boot'
import { booting } from '@coffer/host/testing/booting'
import { createHousehold } from '@coffer/host/testing/household'
import { systemCaller } from '@coffer/kit/rpc/caller'
import { asCaller } from '@coffer/kit/rpc/rpc'
import { startOfDay } from '@coffer/kit/values/day'
import { newId } from '@coffer/kit/values/id'
import { ScheduledService } from '@coffer/proto/ledger/v1/scheduled'
import { expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { z } from 'zod'
import { beginMove, findUnmoved, moveDates } from '../../src/money/dates.sql.ts'
import { ledger } from '../../src/service.ts'
import { fixture } from '../imports/importing.ts'
import { sendFile } from '../imports/uploading.ts'
import { refusals } from '../outcomes.ts'
import { aRow, feedHome } from '../syncs/syncing.ts'

const booted = booting([ledger])

// Between these two, every midnight of one is a midnight of the other, a day later.
const [honolulu, kiritimati] = ['Pacific/Honolulu', 'Pacific/Kiritimati'] as const
const rows = 1200
const dayOf = (index: number) => 20_000 + (index % 400)

/** Creates a bank account with 1,200 transactions on 400 days, in a timezone that changes. */
async function movingHome() {
  const home = await createHousehold(booted, { availableBalance: 1000n, timezone: honolulu })
  const { accountId, bankAccountId } = home
  const { pool } = booted.database('ledger')
  await pool.query(sql.unsafe`
    INSERT INTO account_settings (account_id, timezone, locale, version)
    VALUES (${accountId}, ${honolulu}, 'en_US', 1)`)
  const all = Array.from({ length: rows }, (_, index) => [
    `txn_${String(index).padStart(5, '0')}`,
    new Date(startOfDay(dayOf(index), honolulu)).toISOString(),
  ])
  await pool.query(sql.unsafe`
    INSERT INTO transactions (account_id, bank_account_id, transaction_id, amount, categories,
      date, original_name, original_merchant_name, is_pending, source, created_at)
    SELECT ${accountId}, ${bankAccountId}, id, 1, '{}', date, '', '', false, 'manual', now()
    FROM ${sql.unnest(all, ['text', 'timestamptz'])} AS new (id, date)`)
  const days = () =>
    pool.anyFirst(sql.type(z.object({ date: z.date() }))`
      SELECT date FROM transactions WHERE account_id = ${accountId} ORDER BY transaction_id`)
  const paidAt = new Date(startOfDay(20_100, honolulu)).toISOString()
  await pool.query(sql.unsafe`
    INSERT INTO envelopes (account_id, bank_account_id, spending_id, spending_type,
      current_amount, used_amount, period_spent, period_spent_on, period_from, opened_at, version)
    VALUES (${accountId}, ${bankAccountId}, 'spnd_rent', 'expense', 0, 0, 0,
      ${paidAt}, ${paidAt}, now(), 1)`)
  const paidOn = () =>
    pool.oneFirst(sql.type(z.object({ date: z.date() }))`
      SELECT period_spent_on AS date FROM envelopes
      WHERE account_id = ${accountId} AND period_from = period_spent_on`)
  return { ...home, days, paidOn }
}

test('every day is moved once, in steps that refuse dated changes between them', async () => {
  const { accountId, bankAccountId, transactions, as, days, paidOn } = await movingHome()
  const database = booted.database('ledger')
  const key = { accountId, bankAccountId }
  const to = kiritimati
  const move = () => database.transaction((tx) => moveDates(tx, key, { to, now: new Date() }))
  const date = timestampFromDate(new Date(startOfDay(20_100, honolulu)))
  const bill = { bankAccountId, amount: 10n, date, name: 'Bill', adjustsBalance: true }
  await transactions.createTransaction(bill, as)
  await database.transaction((tx) => beginMove(tx, { accountId, to }))
  await move()
  expect(await findUnmoved(database, { accountId, to })).toBe(bankAccountId)
  expect(await refusals(transactions.createTransaction(bill, as))).toEqual(['Unavailable'])
  // Killed in the middle of a step: nothing of it counts.
  const killed = database.transaction(async (tx) => {
    await moveDates(tx, key, { to, now: new Date() })
    throw new Error('killed')
  })
  await expect(killed).rejects.toThrow('killed')
  await move()
  const moved = await days()
  expect(await findUnmoved(database, { accountId, to })).toBeNull()
  await move()
  await database.transaction((tx) => beginMove(tx, { accountId, to }))
  expect(await days()).toEqual(moved)
  expect((await paidOn()).getTime()).toBe(startOfDay(20_100, to))
  const expected = Array.from({ length: rows }, (_, index) => startOfDay(dayOf(index), to))
  expect(moved.map((one) => one.getTime()).toSorted()).toEqual(
    [...expected, startOfDay(20_100, to)].toSorted(),
  )
  expect(await refusals(transactions.createTransaction(bill, as))).toEqual(['Unavailable'])
  const fresh = booted.as(accountId, { timezone: to })
  const midnight = timestampFromDate(new Date(startOfDay(20_100, to)))
  const created = await transactions.createTransaction({ ...bill, date: midnight }, fresh)
  expect(created.transaction?.date).toEqual(midnight)
  // Budgeting moves its dates later: a deposit of the former midnight is on the same day.
  const deposit = { transactionId: newId('txn'), name: 'Pay', amount: -5n, date }
  const run = { bankAccountId, fundingRunId: newId('run'), fundingScheduleId: newId('fund') }
  const operation = { case: 'funding' as const, value: { ...run, deposit } }
  const job = asCaller(systemCaller(loadSigner(booted.keysFolder, 'budgeting'), '', new Date()))
  const scheduled = booted.client('ledger', ScheduledService)
  await scheduled.book({ bookings: [{ accountId, timezone: honolulu, operation }] }, job)
  const { transactionId } = deposit
  const { transaction } = await transactions.getTransaction({ bankAccountId, transactionId }, fresh)
  expect(transaction?.date).toEqual(midnight)
})

test('an import and a sync wait while the days of their bank account are moved', async () => {
  const home = await createHousehold(booted)
  const feed = await feedHome(booted)
  const ids = sql.array([home.bankAccountId, feed.bankAccountId], 'text')
  const setTimezone = (timezone: string | null) =>
    booted.database('ledger').pool.query(sql.unsafe`
      UPDATE bank_accounts SET dates_timezone = ${timezone}, version = version + 1
      WHERE bank_account_id = ANY(${ids})`)
  await setTimezone('')
  const key = await sendFile(home, await fixture('checking.qfx'))
  const status = async () => (await home.uploads.getUpload(key, home.as)).upload?.status
  await eventually(status, (found) => found === 'processing')
  const row = aRow({ providerTransactionId: 'one' })
  expect(await refusals(feed.lists(row))).toEqual(['Unavailable'])
  expect(await status()).toBe('processing')
  await setTimezone(null)
  expect(await feed.lists(row)).toMatchObject([{ outcome: 'created' }])
  await eventually(status, (found) => found === 'complete')
})
