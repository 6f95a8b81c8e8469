import pg from 'pg'

/**
 * Lists all objects of a Postgres schema, one line each: kind, name, definition. Leaves out the
 * table in which an earlier migration tool recorded its files.
 */
export async function catalogOf(url: string, schema: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    // With any other search path, definitions would contain schema names.
    await client.query(`SET search_path = ${client.escapeIdentifier(schema)}`)
    const { rows } = await client.query<{ line: string }>(lines, [schema])
    return rows.map(({ line }) => line)
  } finally {
    await client.end()
  }
}

const lines = `
WITH relations AS (
  SELECT *, oid::regclass::text AS name FROM pg_class WHERE relnamespace = $1::regnamespace
), everything (kind, name, definition) AS (
  SELECT concat('relation ', relkind), name, concat_ws(' ', relpersistence, reloptions)
  FROM relations
  UNION ALL
  -- Numbered in order, without the gaps of dropped columns.
  SELECT 'column', name || '.' || attname, concat_ws(' ',
    row_number() OVER (PARTITION BY attrelid ORDER BY attnum),
    format_type(atttypid, atttypmod), CASE WHEN attnotnull THEN 'NOT NULL' END,
    pg_get_expr(adbin, adrelid), attidentity, attgenerated, attstorage, attcompression,
    attcollation::regcollation, attstattarget, attoptions)
  FROM pg_attribute JOIN relations ON attrelid = relations.oid
    LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
  WHERE attnum > 0 AND NOT attisdropped AND relkind <> 'i'
  UNION ALL
  SELECT 'constraint', concat_ws('.', conrelid::regclass, nullif(contypid, 0)::regtype, conname),
    pg_get_constraintdef(oid) || CASE WHEN convalidated THEN '' ELSE ' not validated' END
  -- NOT NULL is listed with the columns: only newer versions of Postgres name it.
  FROM pg_constraint WHERE connamespace = $1::regnamespace AND contype <> 'n'
  UNION ALL
  SELECT 'index', name,
    pg_get_indexdef(indexrelid) || CASE WHEN indisvalid THEN '' ELSE ' invalid' END
  FROM pg_index JOIN relations ON indexrelid = relations.oid
  UNION ALL
  SELECT 'trigger', name || '.' || tgname, pg_get_triggerdef(pg_trigger.oid)
  FROM pg_trigger JOIN relations ON tgrelid = relations.oid WHERE NOT tgisinternal
  UNION ALL
  SELECT 'function', oid::regprocedure::text, pg_get_functiondef(oid)
  FROM pg_proc WHERE pronamespace = $1::regnamespace
    AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_proc.oid AND deptype = 'e')
  UNION ALL
  SELECT 'domain', typname,
    concat_ws(' ', format_type(typbasetype, typtypmod), typnotnull, typdefault)
  FROM pg_type WHERE typnamespace = $1::regnamespace AND typtype = 'd'
  UNION ALL
  SELECT 'sequence', sequencename, concat_ws(' ', data_type, start_value, increment_by, cycle)
  FROM pg_sequences WHERE schemaname::regnamespace = $1::regnamespace
  UNION ALL
  SELECT 'extension', extname, extnamespace::regnamespace::text FROM pg_extension
)
SELECT concat_ws(': ', kind, name, definition) AS line FROM everything
WHERE name !~ '^migrations(_|\\M)' ORDER BY line`
