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
 * Returns a function that reads the version and the lists of a bank account. It expects equal lists
 * if the version is the same as in the previous call, and returns whether the version has risen.
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

/** Returns the code of the error of a removed bank account; rethrows any other error. */
function whyNotShown(error: unknown): string {
  const { code } = ConnectError.from(error)
  if (code !== Code.NotFound) throw error
  return Code[code]
}
