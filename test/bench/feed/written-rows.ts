import { withClient } from '@coffer/host/testing/database'

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
