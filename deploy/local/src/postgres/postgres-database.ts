import pg from 'pg'

const connectTimeoutMs = 5_000

/** Connects and creates the database when it is missing; rejects while the server starts. */
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
