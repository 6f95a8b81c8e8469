import { withClient } from '@coffer/host/testing/database'

/** The rows of one table: their number, and a hash of all of them in any order. */
export interface TableContent {
  count: number
  hash: string | null
}

/**
 * Returns the content of every table by `<schema>.<table>`. Leaves out what a restore clears
 * (the stream of NATS, processes), and the record of migrations that older versions applied.
 */
export function contentOf(url: string): Promise<Record<string, TableContent>> {
  return withClient(url, async (client) => {
    const { rows } = await client.query<{ name: string }>(`
      SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
      WHERE schemaname NOT IN ('pg_catalog', 'information_schema')
        AND tablename NOT IN ('migrations', 'stream_positions', 'file_places')
      ORDER BY 1`)
    const content: Record<string, TableContent> = {}
    for (const { name } of rows) {
      const found = await client.query<TableContent>(`
        SELECT count(*)::int AS count, md5(string_agg(line, '' ORDER BY line)) AS hash
        FROM (
          SELECT md5((to_jsonb(t) - 'published_at' - 'stream_position')::text) AS line
          FROM ${name} AS t
        ) AS lines`)
      if (found.rows[0]) content[name] = found.rows[0]
    }
    return content
  })
}
