import pg from 'pg'

interface Owned {
  accountId: string
  email: string
}

/**
 * Returns the number of an account's rows by `<schema>.<table>`, without tables that have none.
 * Counts in all tables with a column `account_id`, `login_id` or `email`.
 */
export async function rowsOf(
  databaseUrl: string,
  { accountId, email }: Owned,
): Promise<Record<string, number>> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const { rows } = await client.query<{ name: string; column: string }>(`
      SELECT table_schema || '.' || table_name AS name, column_name AS column
      FROM information_schema.columns
      WHERE table_schema NOT IN ('pg_catalog', 'information_schema')
        AND (column_name = 'account_id' OR column_name = 'email' OR column_name = 'login_id'
          AND table_schema || '.' || table_name <> 'identity.users')
      ORDER BY 1`)
    const counts: Record<string, number> = {}
    for (const { name, column } of rows) {
      const condition = {
        account_id: 'account_id = $1',
        email: 'email = $2',
        login_id: 'login_id IN (SELECT login_id FROM identity.logins WHERE email = $2)',
      }[column]
      const counted = await client.query<{ count: number }>(
        `SELECT count(*)::int FROM ${name} WHERE ${condition} AND $1 <> $2`,
        [accountId, email],
      )
      const count = counted.rows[0]?.count ?? 0
      if (count > 0) counts[name] = count
    }
    return counts
  } finally {
    await client.end()
  }
}
