import pg from 'pg'

/** A step of a plan as `EXPLAIN (FORMAT JSON)` tells it. */
interface Step {
  'Node Type': string
  'Relation Name'?: string
  'Index Cond'?: string
  Plans?: Step[]
}

/** A way into a table that gets slower with every account there is. */
export interface SlowScan {
  table: string
  node: string
  statement: string
}

const lookUps = ['Index Scan', 'Index Only Scan', 'Bitmap Index Scan']

/**
 * Asks Postgres how it would run these statements (with the plan that serves any parameters) and
 * returns where it would read one of the tables otherwise than by an index on `account_id`.
 */
export async function slowScans(
  { url, schema }: { url: string; schema: string },
  { statements, tables }: { statements: readonly string[]; tables: readonly string[] },
): Promise<SlowScan[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(`SET search_path = ${client.escapeIdentifier(schema)}`)
    const found: SlowScan[] = []
    for (const statement of statements) {
      const { rows } = await client.query(`EXPLAIN (GENERIC_PLAN, FORMAT JSON) ${statement}`)
      for (const { table, node } of slowSteps(rows[0]['QUERY PLAN'][0].Plan, tables)) {
        found.push({ table, node, statement })
      }
    }
    return found
  } finally {
    await client.end()
  }
}

function slowSteps(
  step: Step,
  tables: readonly string[],
  above = '',
): { table: string; node: string }[] {
  const { 'Node Type': node, 'Relation Name': table = above, 'Index Cond': condition = '' } = step
  const isLookUp = lookUps.includes(node)
  const isSlow = isLookUp ? !condition.includes('account_id') : node === 'Seq Scan'
  const below = (step.Plans ?? []).flatMap((plan) => slowSteps(plan, tables, table))
  return isSlow && tables.includes(table) ? [{ table, node }, ...below] : below
}
