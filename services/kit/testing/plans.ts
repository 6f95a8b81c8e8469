import pg from 'pg'

/** A node of a query plan from `EXPLAIN (FORMAT JSON)`. */
interface Step {
  'Node Type': string
  'Relation Name'?: string
  'Index Cond'?: string
  Plans?: Step[]
}

/** A scan that also reads rows outside the account or object of the statement. */
export interface SlowScan {
  table: string
  node: string
  statement: string
}

const lookUps = ['Index Scan', 'Index Only Scan', 'Bitmap Index Scan']

interface Place {
  url: string
  schema: string
}

/**
 * Finds scans of these tables without an index condition on `account_id`, in the statements'
 * generic plans.
 */
export function slowScans(
  place: Place,
  { statements, tables }: { statements: readonly string[]; tables: readonly string[] },
): Promise<SlowScan[]> {
  const isSlow = ({ 'Node Type': node, 'Index Cond': condition = '' }: Step) =>
    lookUps.includes(node) ? !condition.includes('account_id') : node === 'Seq Scan'
  return stepsOf(place, { statements, tables, isSlow })
}

/**
 * Finds scans of these tables without an index condition on one of `columns`: they read a whole
 * account or bank account.
 */
export function wideScans(
  place: Place,
  options: { statements: readonly string[]; tables: readonly string[]; columns: readonly string[] },
): Promise<SlowScan[]> {
  const isSlow = ({ 'Node Type': node, 'Index Cond': condition = '' }: Step) =>
    lookUps.includes(node)
      ? !options.columns.some((column) => condition.includes(column))
      : node === 'Seq Scan'
  return stepsOf(place, { ...options, isSlow })
}

/** Conditions of an index that find few rows: an ID, or the hash of a secret. */
const bounds = /_id|_hash = /

/** Nodes that hold rows, and functions that wait: they may keep other statements waiting. */
const locks = ['LockRows', 'ModifyTable']
const waits = /\bpg_sleep|\bpg_\w*advisory|\bnextval\b|\bdblink/

/**
 * Finds what a short read must not have: locks, functions that wait, and scans that no index bounds
 * to an ID or a hash. Sequential scans are off, so that a small table has the plan of a large one.
 */
export async function faultsOfReads(
  place: Place,
  statements: readonly string[],
): Promise<{ node: string; statement: string }[]> {
  const isSlow = ({ 'Node Type': node, 'Index Cond': condition = '' }: Step) =>
    lookUps.includes(node) ? !bounds.test(condition) : ['Seq Scan', ...locks].includes(node)
  const waiting = statements.filter((statement) => waits.test(statement))
  const steps = await stepsOf(place, { statements, isSlow, settings: 'SET enable_seqscan = off' })
  return [...waiting.map((statement) => ({ node: 'a function that waits', statement })), ...steps]
}

type IsSlow = (step: Step) => boolean

async function stepsOf(
  { url, schema }: Place,
  {
    statements,
    tables,
    isSlow,
    settings = '',
  }: {
    statements: readonly string[]
    /** Without it, all tables. */
    tables?: readonly string[]
    isSlow: IsSlow
    settings?: string
  },
): Promise<SlowScan[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(`SET search_path = ${client.escapeIdentifier(schema)}; ${settings}`)
    const found: SlowScan[] = []
    for (const statement of statements) {
      const { rows } = await client.query(`EXPLAIN (GENERIC_PLAN, FORMAT JSON) ${statement}`)
      for (const { table, node } of slowSteps(rows[0]['QUERY PLAN'][0].Plan, isSlow)) {
        if (tables?.includes(table) ?? true) found.push({ table, node, statement })
      }
    }
    return found
  } finally {
    await client.end()
  }
}

function slowSteps(step: Step, isSlow: IsSlow, above = ''): { table: string; node: string }[] {
  const { 'Node Type': node, 'Relation Name': table = above, Plans: plans = [] } = step
  const below = plans.flatMap((plan) => slowSteps(plan, isSlow, table))
  return isSlow(step) ? [{ table, node }, ...below] : below
}
