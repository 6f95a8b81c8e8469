import { expect } from '@jest/globals'
import type pg from 'pg'
import type { PlaidItem } from '../providers/plaid/item.ts'

/** A link, its item and the item's bank accounts. */
interface Link {
  accountId: string
  linkId: string
  item: PlaidItem
  accountIds: readonly string[]
}

/** A transaction: ID at Plaid, minor units, and whether it is pending. */
type Row = [id: string, amount: number, isPending: boolean]

/** Reads the transactions of a link, by the live record of each. */
async function readLedger(reader: pg.Pool, { accountId, linkId }: Link): Promise<Row[]> {
  const { rows } = await reader.query(
    `SELECT provider_transaction_id, transactions.amount::int, transactions.is_pending
     FROM ledger.transactions
     JOIN ledger.bank_accounts USING (account_id, bank_account_id)
     LEFT JOIN ledger.provider_transactions AS records
       ON records.account_id = transactions.account_id
       AND records.bank_account_id = transactions.bank_account_id
       AND records.transaction_id = transactions.transaction_id AND records.deleted_at IS NULL
     WHERE transactions.account_id = $1 AND link_id = $2 AND transactions.deleted_at IS NULL`,
    [accountId, linkId],
  )
  return rows.map((row) => [row.provider_transaction_id, row.amount, row.is_pending])
}

function atBank({ item, accountIds }: Link): Row[] {
  return accountIds.flatMap((id) =>
    item
      .bank(id)
      .listed()
      .map((row): Row => {
        return [
          row.transaction_id,
          Math.round(100 * Number(JSON.stringify(row.amount))),
          row.pending,
        ]
      }),
  )
}

async function readPosition(reader: pg.Pool, { linkId }: Link) {
  const { rows } = await reader.query(
    'SELECT cursor, page_cursor FROM aggregator_sync.aggregator_links WHERE link_id = $1',
    [linkId],
  )
  const noted = await reader.query(
    'SELECT provider_transaction_id FROM aggregator_sync.loop_items WHERE link_id = $1',
    [linkId],
  )
  const { cursor, page_cursor: pageCursor } = rows[0]
  return {
    cursor: pageCursor ?? cursor,
    noted: noted.rows.map((row): string => row.provider_transaction_id),
  }
}

/** Checks that a link's transactions are those of the bank, and that the cursor is at the end. */
export async function expectLedger(reader: pg.Pool, link: Link): Promise<void> {
  expect((await readLedger(reader, link)).toSorted()).toEqual(atBank(link).toSorted())
  const { cursor, noted } = await readPosition(reader, link)
  expect(noted).toEqual([])
  expect(link.item.changesAfter(cursor)).toEqual({ added: [], modified: [], removed: [] })
}

/**
 * Checks that the cursor is not ahead of the ledger: each transaction that differs from the bank is
 * among the changes after the cursor, or is noted as one to take back.
 */
export async function expectNothingLost(reader: pg.Pool, link: Link): Promise<void> {
  const { cursor, noted } = await readPosition(reader, link)
  const { added, modified, removed } = link.item.changesAfter(cursor)
  const changes = [...added, ...modified, ...removed].map((one) => one.transaction_id)
  const expected = [...changes, ...noted]
  const stored = await readLedger(reader, link)
  const bank = atBank(link)
  const differs = (one: Row, others: Row[]) => !others.some((other) => `${other}` === `${one}`)
  const different = [
    ...stored.filter((one) => differs(one, bank)),
    ...bank.filter((one) => differs(one, stored)),
  ]
  expect(different.filter(([id]) => !expected.includes(id))).toEqual([])
}
