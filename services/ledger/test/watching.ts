import type { Database } from '@coffer/kit/database'
import { expect } from '@jest/globals'
import { sql } from 'slonik'
import { z } from 'zod'
import type { Household } from './household.ts'

const Row = z.object({ version: z.bigint() })

/**
 * Compares the version of a bank account with its lists whenever it is called: while the version
 * stands, they show the same. Returns whether it has risen since the last time.
 */
export function watchVersion({ pool }: Database, home: Household) {
  const { accountId, bankAccountId, envelopes, transactions, as } = home
  let last = { version: 0n, shown: {} }
  return async (): Promise<boolean> => {
    const version = await pool.oneFirst(sql.type(Row)`
      SELECT version FROM bank_accounts
      WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId}`)
    const page = { bankAccountId, limit: 25, offset: 0 }
    const shown = {
      envelopes: (await envelopes.listEnvelopes({ bankAccountId }, as)).envelopes,
      transactions: (await transactions.listTransactions(page, as)).transactions,
      balances: await home.balances(),
    }
    const hasRisen = version > last.version
    if (!hasRisen) expect({ version, shown }).toEqual(last)
    last = { version, shown }
    return hasRisen
  }
}
