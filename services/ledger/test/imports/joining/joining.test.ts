import { holdTransaction } from '@coffer/host/testing/boot'
import { booting } from '@coffer/host/testing/booting'
import { createHousehold, type Household } from '@coffer/host/testing/household'
import { describe, expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { ledger } from '../../../src/service.ts'
import { auditing } from '../../auditing.ts'
import { listed } from '../../outcomes.ts'
import { partsOf } from '../file-parts.ts'
import { importing } from '../importing.ts'
import {
  importFile,
  type Joins,
  offersOf as offersIn,
  opening,
  sendJoins,
  statementOf,
  undo,
  untilEnded,
} from '../uploading.ts'

const booted = auditing(booting([ledger]))

const file = statementOf({ a: '-10.00', b: '-20.00', c: '5.00' }, { ledger: '470.00' })

/** Uploads the OFX file, or only previews it. */
const send = (home: Household, of: { joins?: Joins; preview?: boolean } = {}) =>
  sendJoins(home, file, of)

/** Stores a transaction by hand, as its user typed it. */
async function typed(
  home: Household,
  { name = 'row a', amount = 1000n, date = '2026-01-11' } = {},
) {
  const { transactions, bankAccountId, as } = home
  const day = { seconds: BigInt(Date.parse(date) / 1000) }
  const { transaction } = await transactions.createTransaction(
    { bankAccountId, name, amount, date: day },
    as,
  )
  return transaction!.transactionId
}

const offersOf = async (home: Household) => (await offersIn(home, file)).joins

describe('joining rows of a file to stored transactions', () => {
  test('is offered by the preview and done only where the user names it', async () => {
    const home = await createHousehold(booted, opening)
    const transactionId = await typed(home)
    await typed(home, { name: 'row b', amount: 2000n, date: '2026-01-20' })
    const { preview } = await send(home, { preview: true })
    expect(preview).toMatchObject({ newCount: 3n })
    expect(preview!.joinOffers).toMatchObject([
      {
        uploadIdentifier: 'a',
        transactionId,
        amount: 1000n,
        name: 'ROW a',
        transactionName: 'row a',
      },
    ])
    expect(await send(home)).toMatchObject({ importedCount: 3n, joinedCount: 0n })
    expect(await listed(home)).toHaveLength(5)
  })

  test('stores no second transaction, and the file is known afterwards', async () => {
    const home = await createHousehold(booted, opening)
    const transactionId = await typed(home)
    const before = await home.balances()
    const joins = await offersOf(home)
    const counts = { rowCount: 3n, importedCount: 2n, joinedCount: 1n, knownCount: 0n }
    const upload = await send(home, { joins })
    expect(upload).toMatchObject({ ...counts, skippedCount: 0n, status: 'complete' })
    expect(upload).toMatchObject({ joins: [{ ...joins[0], result: 'joined' }], unjoinedCount: 0n })
    const names = (await listed(home)).map(({ name }) => name)
    expect(names.toSorted()).toEqual(['ROW b', 'ROW c', 'row a'])
    expect(await home.balances()).toMatchObject({ current: 47000n })
    // The same file again, and the same joins: nothing is new.
    const again = { importedCount: 0n, joinedCount: 0n, knownCount: 3n, skippedCount: 3n }
    expect(await send(home, { joins })).toMatchObject({ ...again, joins: [{ result: 'known' }] })
    expect(await offersOf(home)).toEqual([])
    const { balance } = await undo(home, upload.transactionUploadId)
    expect(balance).toEqual(before)
    expect((await listed(home)).map((one) => one.transactionId)).toEqual([transactionId])
    expect(await offersOf(home)).toEqual(joins)
  })

  // until 0.5: a replica of 0.3 undoes an import, and does not know the joins.
  test.each(['upload', 'transaction'])('ends with its %s in a former version', async (gone) => {
    const home = await createHousehold(booted, opening)
    const transactionId = await typed(home)
    const joins = await offersOf(home)
    const { transactionUploadId } = await send(home, { joins })
    const ended =
      gone === 'upload'
        ? sql.unsafe`
            UPDATE uploads SET undone_at = now()
            WHERE account_id = ${home.accountId} AND transaction_upload_id = ${transactionUploadId}`
        : sql.unsafe`
            DELETE FROM transactions
            WHERE account_id = ${home.accountId} AND transaction_id = ${transactionId}`
    await booted.database('ledger').pool.query(ended)
    const offers = gone === 'upload' ? joins : []
    expect(await offersOf(home)).toEqual(offers)
    const { uploads, bankAccountId, as } = home
    const [{ joins: listed = [], unjoinedCount } = {}] = (
      await uploads.listUploads({ bankAccountId, limit: 1 }, as)
    ).uploads
    expect({ listed, unjoinedCount }).toEqual({ listed: [], unjoinedCount: 0n })
    const counts = { importedCount: 1n - BigInt(offers.length), joinedCount: BigInt(offers.length) }
    expect(await send(home, { joins: offers })).toMatchObject({ ...counts, knownCount: 2n })
  })

  test('is done once by two imports at once', async () => {
    const home = await createHousehold(booted, opening)
    await typed(home)
    const joins = await offersOf(home)
    const uploads = await Promise.all([send(home, { joins }), send(home, { joins })])
    const counts = uploads.map(({ importedCount, joinedCount, knownCount }) => {
      return [importedCount, joinedCount, knownCount]
    })
    expect(counts.toSorted()).toEqual([
      [0n, 0n, 3n],
      [2n, 1n, 0n],
    ])
    expect(await listed(home)).toHaveLength(3)
  })

  test('sets the stated balances though all rows are joined', async () => {
    const home = await createHousehold(booted, opening)
    await typed(home)
    await typed(home, { name: 'row b', amount: 2000n })
    await typed(home, { name: 'row c', amount: -500n })
    const joins = await offersOf(home)
    expect(joins).toHaveLength(3)
    expect(await send(home, { joins })).toMatchObject({ importedCount: 0n, joinedCount: 3n })
    expect(await home.balances()).toMatchObject({ current: 47000n })
  })

  test('ends with the transaction, and takes none that is deleted or changed', async () => {
    const home = await createHousehold(booted, opening)
    const { transactionUploadId } = await importFile(home, file)
    // A CSV file of the same rows: another format, so it may be joined.
    const csv = new TextEncoder().encode(
      'Transaction ID,Posting Date,Description,Merchant,Amount,Balance,Status\n' +
        'x1,01/10/2026,Row a,,-10.00,,Posted\nx2,01/11/2026,Row b,,-20.00,,Posted\n' +
        'x3,01/12/2026,Row c,,5.00,,Posted\n',
    )
    const { imports, createMapping, createImport, reached } = importing(booted)
    const previewed = async () => {
      const { transactionImportId } = await createImport(home, csv)
      const step = {
        bankAccountId: home.bankAccountId,
        transactionImportId,
        transactionImportMappingId: await createMapping(home),
        status: 'pending-preview',
      }
      await imports.updateImport(step, home.as)
      return reached(home, transactionImportId, ['preview'])
    }
    const { transactionImportId, preview } = await previewed()
    const joins = preview!.joinOffers.map((offer) => {
      return { uploadIdentifier: offer.uploadIdentifier, transactionId: offer.transactionId }
    })
    expect(joins).toHaveLength(3)
    const gone = joins[0]!
    const { transactions, bankAccountId, as } = home
    await transactions.deleteTransaction({ bankAccountId, transactionId: gone.transactionId }, as)
    const step = { bankAccountId, transactionImportId, status: 'pending-processing', joins }
    await imports.updateImport(step, as)
    const joined = joins.map(({ transactionId: one }) =>
      one === gone.transactionId ? 'transaction' : 'joined',
    )
    expect(await reached(home, transactionImportId, ['complete', 'failed'])).toMatchObject({
      importedCount: 1n,
      joinedCount: 2n,
      unjoinedCount: 1n,
      joins: joined.map((result) => ({ result })),
    })
    // The undo of the first file leaves the second one its rows, and takes the deleted one.
    await undo(home, transactionUploadId)
    const { preview: after } = await previewed()
    expect(after).toMatchObject({ newCount: 0n, duplicateCount: 3n, joinOffers: [] })
    expect(await listed(home)).toHaveLength(3)
  })

  test('is not done to a transaction that is deleted while the file is stored', async () => {
    const home = await createHousehold(booted, opening)
    const { accountId, bankAccountId } = home
    const transactionId = await typed(home)
    const joins = await offersOf(home)
    const { untilAwaited, release } = await holdTransaction(
      booted.database('ledger'),
      sql.unsafe`SELECT FROM bank_accounts WHERE account_id = ${accountId}
        AND bank_account_id = ${bankAccountId} FOR NO KEY UPDATE`,
    )
    const sent = send(home, { joins })
    await untilAwaited()
    await release(sql.unsafe`UPDATE transactions SET deleted_at = now()
      WHERE account_id = ${accountId} AND transaction_id = ${transactionId}`)
    const result = { importedCount: 3n, joinedCount: 0n, joins: [{ result: 'transaction' }] }
    expect(await sent).toMatchObject(result)
  })

  // until 0.5: a replica of 0.3 reads an upload with joins, and does not know them.
  test('says that a former version ignored it', async () => {
    const home = await createHousehold(booted, opening)
    await typed(home)
    const { transactionUploadId } = await send(home, { joins: await offersOf(home) })
    await booted.database('ledger').pool.query(sql.unsafe`
      UPDATE uploads SET joined_count = NULL,
        joins = jsonb_set(joins, '{0}', (joins -> 0) - 'result')
      WHERE account_id = ${home.accountId}`)
    const { uploads, bankAccountId, as } = home
    const { upload } = await uploads.getUpload({ bankAccountId, transactionUploadId }, as)
    expect(upload).toMatchObject({ joins: [{ result: 'ignored' }], unjoinedCount: 1n })
  })

  test('is named, or named anew, as a file is read again', async () => {
    const home = await createHousehold(booted, opening)
    const { uploads, bankAccountId, as } = home
    const transactionId = await typed(home, { name: 'Shop', amount: 140000n, date: '2026-01-20' })
    const other = await typed(home, { name: 'Shop', amount: 140000n, date: '2026-01-21' })
    const content = new TextEncoder().encode('!Type:Bank\nD1/20/2026\nT-1,400\nPShop\n^\n')
    const part = { bankAccountId, name: 'a.qif', content }
    const choices = { decimalMark: '.' }
    const { upload: read } = await uploads.createUpload(
      partsOf({ ...part, choices, preview: true }),
      as,
    )
    const { uploadIdentifier } = read!.preview!.joinOffers[0]!
    const first = [{ uploadIdentifier, transactionId: other }]
    const { upload } = await uploads.createUpload(partsOf({ ...part, joins: first }), as)
    const key = { bankAccountId, transactionUploadId: upload!.transactionUploadId }
    expect(await untilEnded(home, key)).toMatchObject({ asks: 'decimalMark', joins: first })
    const joins = [{ uploadIdentifier, transactionId }]
    const again = { ...key, choices, joins: { joins } }
    await uploads.updateUpload(again, as)
    const counts = { importedCount: 0n, joinedCount: 1n, unjoinedCount: 0n }
    const result = { ...counts, joins: [{ transactionId, result: 'joined' }] }
    expect(await untilEnded(home, key)).toMatchObject(result)
    // The same request again changes nothing; one with other joins is refused.
    expect(await uploads.updateUpload(again, as)).toMatchObject({ upload: result })
    await expect(uploads.updateUpload({ ...again, joins: { joins: first } }, as)).rejects.toThrow(
      'asks for no choice',
    )
  })
})
