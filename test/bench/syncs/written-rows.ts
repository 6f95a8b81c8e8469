import { setTimeout as sleep } from 'node:timers/promises'
import { withClient } from '@coffer/host/testing/database'

const pollMs = 1_000
const searchMsMax = 300_000

/**
 * Waits until the search for similar transactions, which runs every minute, has handled all bank
 * accounts: it writes rows of the ledger that are not the sync's.
 */
export function untilSearched(databaseUrl: string): Promise<void> {
  return withClient(databaseUrl, async (client) => {
    const startedAt = performance.now()
    while (performance.now() - startedAt < searchMsMax) {
      const { rowCount } = await client.query(
        'SELECT FROM ledger.bank_accounts WHERE unsearched_from IS NOT NULL LIMIT 1',
      )
      if (rowCount === 0) return
      await sleep(pollMs)
    }
    throw new Error(`the search did not end within ${searchMsMax / 1000} s`)
  })
}

/** Returns the ID that the next transaction of the database would get. */
export function nextTransactionId(databaseUrl: string): Promise<string> {
  return withClient(databaseUrl, async (client) => {
    const { rows } = await client.query(
      'SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS id',
    )
    return rows[0].id
  })
}

/**
 * Counts the rows of the ledger that transactions from `since` on have inserted or updated, by
 * table; tables without such rows are left out. A raised version is an updated bank account.
 */
export function countWritten(databaseUrl: string, since: string): Promise<Record<string, number>> {
  return withClient(databaseUrl, async (client) => {
    const tables = await client.query(
      `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'ledger' ORDER BY tablename`,
    )
    const written: Record<string, number> = {}
    for (const { name } of tables.rows) {
      const { rows } = await client.query(
        `SELECT count(*)::int AS count FROM ledger.${name} WHERE xmin::text::bigint >= $1`,
        [since],
      )
      if (rows[0].count > 0) written[name] = rows[0].count
    }
    return written
  })
}
