import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { eventually, ofConsumers, untilLockAwaited } from '@coffer/host/testing/boot'
import { booting } from '@coffer/host/testing/booting'
import { createHousehold, type Household } from '@coffer/host/testing/household'
import { statementsMax } from '@coffer/kit/testing/statements-max'
import { newId } from '@coffer/kit/values/id'
import { Code, ConnectError } from '@connectrpc/connect'
import { describe, expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { z } from 'zod'
import { ledger } from '../../src/service.ts'
import { auditing } from '../auditing.ts'
import { holdRow } from '../held-row.ts'
import { listed, refusals } from '../outcomes.ts'
import { importing } from './importing.ts'
import { importFile, opening, sendFile, statementOf, undo } from './uploading.ts'

const booted = auditing(booting([ledger]))

async function envelopeWith(home: Household, amount: bigint, spendingType = 'expense') {
  const { envelopes, bankAccountId, as } = home
  const spendingId = newId('spnd')
  await envelopes.openEnvelope({ bankAccountId, spendingId, spendingType }, as)
  await envelopes.transfer({ bankAccountId, toSpendingId: spendingId, amount }, as)
  return spendingId
}

async function assign(home: Household, transactionId: string, spendingId: string) {
  const { transactions, bankAccountId, as } = home
  const change = { bankAccountId, transactionId, spendingId }
  await transactions.updateTransaction({ ...change, updateMask: { paths: ['spending_id'] } }, as)
}

/** Waits until the workflow of an import has ended: it deletes the file after the last change. */
async function untilFileDeleted({ accountId }: Household, transactionUploadId: string) {
  const Deleted = z.object({ isDeleted: z.boolean() })
  await eventually(
    () =>
      booted.database('ledger').pool.oneFirst(sql.type(Deleted)`
        SELECT files.deleted_at IS NOT NULL AS "isDeleted"
        FROM uploads JOIN files USING (account_id, file_id)
        WHERE account_id = ${accountId} AND transaction_upload_id = ${transactionUploadId}`),
    (isDeleted) => isDeleted,
  )
}

const rows = { a: '-10.00', b: '-20.00', c: '5.00' }

describe('undoing an import', () => {
  test('reverses its rows, its balances and its spending from envelopes', async () => {
    const home = await createHousehold(booted, opening)
    const expense = await envelopeWith(home, 700n)
    const goal = await envelopeWith(home, 9000n, 'goal')
    const before = await home.balances()
    const file = statementOf(rows, { ledger: '470.00', available: '460.00' })
    const { transactionUploadId } = await importFile(home, file)
    const [first, second] = await listed(home)
    await assign(home, first!.transactionId, expense)
    await assign(home, second!.transactionId, goal)
    expect(await home.balances()).not.toEqual(before)
    const { balance, envelopes } = await undo(home, transactionUploadId)
    expect(balance).toEqual(before)
    expect(await home.balances()).toEqual(before)
    expect(await listed(home)).toEqual([])
    expect(new Map(envelopes.map((one) => [one.spendingId, one]))).toEqual(
      new Map([
        [expense, expect.objectContaining({ currentAmount: 700n, usedAmount: 0n })],
        [goal, expect.objectContaining({ currentAmount: 9000n, usedAmount: 0n })],
      ]),
    )
    const Row = z.object({ pot: z.string(), delta: z.bigint() })
    const booked = await booted.database('ledger').pool.any(sql.type(Row)`
      SELECT pot, delta FROM journal
      WHERE account_id = ${home.accountId} AND cause = 'undo' AND created_by LIKE 'user%'
      ORDER BY pot, delta`)
    expect(booked).toEqual([
      { pot: 'available', delta: -6000n },
      { pot: 'current', delta: 3000n },
      { pot: 'envelope', delta: 700n },
      { pot: 'envelope', delta: 2000n },
      { pot: 'used', delta: -2000n },
    ])
    const changes = await booted.changes('ledger', home.accountId)
    expect(changes.at(-1)).toBe('coffer.ledger.v1.EnvelopesChanged')
  })

  test('shows on the upload; concurrent undos run once', async () => {
    const home = await createHousehold(booted, opening)
    const { transactionUploadId } = await importFile(home, statementOf(rows, { ledger: '1.00' }))
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => undo(home, transactionUploadId)),
    )
    for (const { balance } of answers) expect(balance).toMatchObject({ current: 50000n })
    await undo(home, transactionUploadId)
    const key = { bankAccountId: home.bankAccountId, transactionUploadId }
    expect((await home.uploads.getUpload(key, home.as)).upload).toMatchObject({
      status: 'complete',
      importedCount: 3n,
      undoneAt: expect.anything(),
    })
    expect(await home.balances()).toMatchObject({ current: 50000n, available: 40000n })
  })

  test('lets the file be imported again, deleted rows and older balances included', async () => {
    const home = await createHousehold(booted, opening)
    const older = statementOf({ z: '-1.00' }, { ledger: '9.00', asOf: '20251231' })
    const newer = statementOf(rows, { ledger: '470.00' })
    const { transactionUploadId } = await importFile(home, newer)
    const [first, second] = await listed(home)
    const { transactions, bankAccountId, as } = home
    for (const [one, soft] of [
      [first, true],
      [second, false],
    ] as const) {
      const { transactionId } = one!
      await transactions.deleteTransaction({ bankAccountId, transactionId, soft }, as)
    }
    await undo(home, transactionUploadId)
    await importFile(home, older)
    expect(await home.balances()).toMatchObject({ current: 900n })
    expect(await importFile(home, newer)).toMatchObject({ importedCount: 3n, skippedCount: 0n })
    expect(await home.balances()).toMatchObject({ current: 47000n })
    expect(await listed(home)).toHaveLength(4)
  })

  test('keeps rows of an earlier import', async () => {
    const home = await createHousehold(booted)
    await importFile(home, statementOf({ a: '-10.00' }))
    const later = await importFile(home, statementOf(rows))
    expect(later).toMatchObject({ importedCount: 2n, skippedCount: 1n })
    await undo(home, later.transactionUploadId)
    expect((await listed(home)).map((one) => one.uploadIdentifier)).toEqual(['a'])
  })

  test('works for a CSV file', async () => {
    const home = await createHousehold(booted, opening)
    const done = await importing(booted).processed(home)
    expect((await listed(home)).length).toBeGreaterThan(0)
    await undo(home, done.transactionUploadId ?? '')
    expect(await listed(home)).toEqual([])
    expect(await home.balances()).toMatchObject({ current: 50000n, available: 40000n })
  })

  test('returns no money to a closed envelope', async () => {
    const home = await createHousehold(booted, opening)
    const spendingId = await envelopeWith(home, 500n)
    const { transactionUploadId } = await importFile(home, statementOf(rows))
    const { bankAccountId, as } = home
    const all = await listed(home)
    await assign(home, all[0]!.transactionId, spendingId)
    await home.envelopes.closeEnvelope({ bankAccountId, spendingId }, as)
    const { envelopes, balance } = await undo(home, transactionUploadId)
    expect(envelopes).toEqual([])
    expect(balance).toMatchObject({ expenses: 0n, free: 40000n })
  })

  test('keeps a deduction that the envelope kept when the transaction was deleted', async () => {
    const home = await createHousehold(booted, opening)
    const spendingId = await envelopeWith(home, 700n)
    const { transactionUploadId } = await importFile(home, statementOf({ a: '-5.00' }))
    const [only] = await listed(home)
    await assign(home, only!.transactionId, spendingId)
    const { transactions, bankAccountId, as } = home
    const { transactionId } = only!
    await transactions.deleteTransaction({ bankAccountId, transactionId, soft: true }, as)
    const { balance } = await undo(home, transactionUploadId)
    expect(balance).toMatchObject({ expenses: 200n })
  })
})

describe('an undo is refused', () => {
  test('for a failed upload, one of another account, or an unknown one', async () => {
    const home = await createHousehold(booted)
    const other = await createHousehold(booted)
    const failed = await importFile(home, 'truncated.ofx')
    const { transactionUploadId } = await importFile(home, statementOf(rows))
    const { uploads, bankAccountId } = home
    expect(
      await refusals(
        undo(home, failed.transactionUploadId),
        undo(home, newId('txup')),
        undo(other, transactionUploadId),
        uploads.undoUpload({ bankAccountId, transactionUploadId }, other.as),
      ),
    ).toEqual(['FailedPrecondition', 'NotFound', 'NotFound', 'NotFound'])
    expect(await listed(home)).toHaveLength(3)
  })

  test('while the import runs', async () => {
    const home = await createHousehold(booted)
    const { transactionUploadId } = await importFile(home, statementOf(rows))
    await booted.database('ledger').pool.query(sql.unsafe`
      UPDATE uploads SET status = 'processing'
      WHERE account_id = ${home.accountId} AND transaction_upload_id = ${transactionUploadId}`)
    const refusal = await undo(home, transactionUploadId).catch(ConnectError.from)
    expect(refusal).toMatchObject({
      code: Code.FailedPrecondition,
      rawMessage: expect.stringContaining('still running'),
    })
  })

  test('in an archived account, and is not found under a deleted link', async () => {
    const home = await createHousehold(booted)
    const { accounts, links, bankAccountId, linkId, as } = home
    const { transactionUploadId } = await importFile(home, statementOf(rows))
    await accounts.archiveBankAccount({ bankAccountId }, as)
    expect(await refusals(undo(home, transactionUploadId))).toEqual(['FailedPrecondition'])
    expect(await listed(home)).toHaveLength(3)
    await links.deleteLink({ linkId }, as)
    expect(await refusals(undo(home, transactionUploadId))).toEqual(['NotFound'])
  })
})

test('import and undo of thousands of rows take few statements', async () => {
  const home = await createHousehold(booted, opening)
  const spendingId = await envelopeWith(home, 40000n)
  const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`row-${n}`, '-0.01']))
  const { transactionUploadId } = await importFile(home, statementOf(many, { ledger: '7.00' }))
  for (const { transactionId } of (await listed(home)).slice(0, 5)) {
    await assign(home, transactionId, spendingId)
  }
  await untilFileDeleted(home, transactionUploadId)
  const before = booted.database('ledger').statements(ofConsumers)
  await undo(home, transactionUploadId)
  const count = booted.database('ledger').statements(ofConsumers) - before
  expect(count).toBeLessThanOrEqual(statementsMax.undoFileOfTenThousandRows)
  expect(await listed(home)).toEqual([])
  expect(await home.balances()).toMatchObject({ current: 50000n, expenses: 40000n })
})

test('a concurrent import and undo leave all rows or none', async () => {
  const home = await createHousehold(booted, opening)
  const keys = await Promise.all(
    [1, 2, 3].map((n) =>
      sendFile(home, Buffer.from(statementOf({ [`r${n}`]: '-1.00' }, { ledger: '1.00' }))),
    ),
  )
  for (const { transactionUploadId } of keys) {
    await eventually(
      () => undo(home, transactionUploadId).catch((error) => ConnectError.from(error).rawMessage),
      (answer) => typeof answer !== 'string' || !answer.includes('still running'),
    )
  }
  expect(await listed(home)).toEqual([])
  expect(await home.balances()).toMatchObject({ current: 50000n, available: 40000n })
})

test('an undo beside concurrent changes is applied once, and so are they', async () => {
  const home = await createHousehold(booted, opening)
  const { transactions, bankAccountId, as } = home
  const { transactionUploadId } = await importFile(home, statementOf(rows, { ledger: '470.00' }))
  const database = booted.database('ledger')
  const moved = sql.unsafe`
    UPDATE bank_accounts SET version = version + 1 WHERE bank_account_id = ${bankAccountId}`
  const { release } = await holdRow(database, home, moved)
  const undone = undo(home, transactionUploadId)
  await untilLockAwaited(database)
  const date = timestampFromDate(new Date('2026-01-12T06:00:00Z'))
  const bill = { bankAccountId, name: 'Bill', amount: 100n, date, adjustsBalance: true }
  const bills = Array.from({ length: 10 }, () => transactions.createTransaction(bill, as))
  await release()
  await Promise.all([undone, ...bills])
  expect(await listed(home)).toHaveLength(10)
  expect(await home.balances()).toMatchObject({ current: 49000n, available: 39000n })
})

test('an undo that met a deadlock holds no row while it waits for the bank account', async () => {
  const home = await createHousehold(booted, opening)
  const { transactionUploadId } = await importFile(home, statementOf(rows, { ledger: '470.00' }))
  const database = booted.database('ledger')
  const ofUpload = sql.fragment`transactions WHERE transaction_upload_id = ${transactionUploadId}`
  const renamed = sql.unsafe`
    UPDATE transactions SET name = 'Renamed' WHERE transaction_upload_id = ${transactionUploadId}`
  const first = await holdRow(database, home, renamed)
  const undone = undo(home, transactionUploadId)
  await untilLockAwaited(database)
  const next = holdRow(database, home, renamed)
  const isRenamed = first.release()
  const { release } = await next
  // Postgres has ended the deadlock. If it rolled back the undo, the undo waits for the lock of the
  // bank account; if it rolled back the renaming, the undo has ended, and the renaming is repeated
  // and waits.
  await Promise.race([untilLockAwaited(database), undone])
  const { rowCount } = await database.pool.query(sql.unsafe`SELECT FROM ${ofUpload}`)
  const free = await database.pool.query(sql.unsafe`SELECT FROM ${ofUpload} FOR UPDATE SKIP LOCKED`)
  expect(free.rowCount).toBe(rowCount)
  await release()
  await Promise.all([isRenamed, undone])
  expect(await listed(home)).toEqual([])
  expect(await home.balances()).toMatchObject({ current: 50000n, available: 40000n })
})
