import { timestampDate } from '@bufbuild/protobuf/wkt'
import type { Database } from '@coffer/kit/database/database'
import { Code, ConnectError } from '@connectrpc/connect'
import { sql } from 'slonik'
import { z } from 'zod'
import { freeOf } from './model-fields.ts'
import type { Home, Uploads } from './model-requests.ts'

/** Page size of the list of transactions: larger than any test needs, so one page has all. */
const limit = 5_000

const Source = z.object({ transactionId: z.string(), uploadId: z.string().nullable() })
const Refunded = z.object({ spendingId: z.string(), refunded: z.number() })

/**
 * Reads a bank account through the RPCs. Returns `state` in the form of the model (null if the bank
 * account was removed), and `ids`, the transaction IDs by name.
 */
export async function readState(home: Home, database: Database, uploads: Uploads) {
  const { accounts, envelopes, transactions, bankAccountId, as } = home
  const found = await accounts.getBankAccount({ bankAccountId }, as).catch(unlessRemoved)
  if (!found?.bankAccount) return { ids: new Map<string, string>(), state: null }
  const balances = await home.balances()
  const listed = await envelopes.listEnvelopes({ bankAccountId }, as)
  const page = { bankAccountId, limit, offset: 0 }
  const { transactions: rows } = await transactions.listTransactions(page, as)
  const uploadOf = await findUploads(home, database, uploads)
  const refundedOf = await findRefunded(home, database)
  const { name, originalName, mask = null, accountType, ...bankAccount } = found.bankAccount
  const limitBalance = Number(bankAccount.limitBalance)
  return {
    ids: new Map(rows.map((row) => [nameOf(row), row.transactionId])),
    state: {
      account: { name, originalName, mask, limit: limitBalance, accountType },
      isArchived: bankAccount.deletedAt !== undefined,
      balances: {
        available: Number(balances?.available),
        current: Number(balances?.current),
        expenses: Number(balances?.expenses),
        goals: Number(balances?.goals),
        free: Number(balances?.free),
      },
      envelopes: listed.envelopes
        .map((one) => ({
          id: one.spendingId,
          current: Number(one.currentAmount),
          used: Number(one.usedAmount),
          spent: Number(one.periodSpent),
          refunded: refundedOf.get(one.spendingId) ?? 0,
          graced: one.graceUntil ? [Number(one.graceUnspent), Number(one.graceMissing)] : [],
        }))
        .sort((a, b) => (a.id < b.id ? -1 : 1)),
      rows: rows
        .map((row) => ({
          name: nameOf(row),
          amount: Number(row.amount),
          day: row.date ? timestampDate(row.date).getUTCDate() : 0,
          envelope: row.spendingId ?? row.refundSpendingId ?? null,
          taken: Number(row.spendingAmount ?? 0n),
          isRefund: row.refundSpendingId !== undefined,
          refunded: Number(row.refundAmount ?? 0n),
          isPending: row.isPending,
          upload: uploadOf.get(row.transactionId) ?? null,
          schedule: row.createdByFundingScheduleId ?? null,
          ...freeOf(row),
        }))
        .sort((a, b) => (a.name < b.name ? -1 : 1)),
    },
  }
}

/**
 * Returns for each transaction ID the serial number of the import that stored it, from the
 * database: if concurrent imports contain the same row, either one stores it.
 */
async function findUploads(home: Home, { pool }: Database, uploads: Uploads) {
  const { accountId, bankAccountId } = home
  const sources = await pool.any(sql.type(Source)`
    SELECT transaction_id AS "transactionId", transaction_upload_id AS "uploadId" FROM transactions
    WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId}`)
  const serials = new Map([...uploads].map(([serial, uploadId]) => [uploadId, serial]))
  return new Map(
    sources.map(({ transactionId, uploadId }) => [transactionId, serials.get(uploadId ?? '')]),
  )
}

/**
 * Returns what refunds gave back of earlier periods by envelope, from the database: it decides how
 * a later reversal counts.
 */
async function findRefunded({ accountId, bankAccountId }: Home, { pool }: Database) {
  const rows = await pool.any(sql.type(Refunded)`
    SELECT spending_id AS "spendingId", period_refunded::float AS refunded FROM envelopes
    WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId}`)
  return new Map(rows.map(({ spendingId, refunded }) => [spendingId, refunded]))
}

function unlessRemoved(error: unknown): null {
  if (ConnectError.from(error).code === Code.NotFound) return null
  throw error
}

/**
 * Returns a transaction's name in the model: the row 'ROW f1' of a file is `f1`, its identifier.
 */
function nameOf({ name = '' }: { name?: string | undefined }): string {
  return name.replace('ROW ', '')
}
