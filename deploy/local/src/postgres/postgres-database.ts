import pg from 'pg'

const connectTimeoutMs = 5_000

/**
 * Creates the database when it is missing. Rejects while the server does not accept connections.
 */
export async function ensureDatabase({ url, name }: { url: string; name: string }): Promise<void> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: connectTimeoutMs,
  })
  await client.connect()
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name])
    if (rowCount === 0) {
      await client.query(`create database ${client.escapeIdentifier(name)}`)
    }
  } finally {
    await client.end()
  }
}
