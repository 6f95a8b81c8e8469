import type { Household } from '@coffer/host/testing/household'
import type { Database } from '@coffer/kit/database/database'
import { Code, ConnectError } from '@connectrpc/connect'
import { expect } from '@jest/globals'
import { sql } from 'slonik'
import { z } from 'zod'

const Row = z.object({ version: z.bigint() })

type Watched = Pick<
  Household,
  'accountId' | 'bankAccountId' | 'as' | 'envelopes' | 'transactions' | 'balances'
>

/**
 * Returns a function that compares a bank account with the previous call: if the version is the
 * same, its balances, envelopes and transactions must be equal. The function returns true if the
 * version has risen.
 */
export function watchVersion({ pool }: Database, home: Watched) {
  const { accountId, bankAccountId } = home
  let last: { version: bigint; shown: object | string } = { version: 0n, shown: {} }
  return async (): Promise<boolean> => {
    const version = await pool.oneFirst(sql.type(Row)`
      SELECT version FROM bank_accounts
      WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId}`)
    const shown = await listsOf(home).catch(whyNotShown)
    const hasRisen = version > last.version
    if (!hasRisen) expect({ version, shown }).toEqual(last)
    last = { version, shown }
    return hasRisen
  }
}

async function listsOf({ bankAccountId, envelopes, transactions, balances, as }: Watched) {
  const page = { bankAccountId, limit: 25, offset: 0 }
  return {
    envelopes: (await envelopes.listEnvelopes({ bankAccountId }, as)).envelopes,
    transactions: (await transactions.listTransactions(page, as)).transactions,
    balances: await balances(),
  }
}

/**
 * Returns the name of the error code NotFound, for a removed bank account; rethrows other errors.
 */
function whyNotShown(error: unknown): string {
  const { code } = ConnectError.from(error)
  if (code !== Code.NotFound) throw error
  return Code[code]
}
