import { auditPlans } from '@coffer/budgeting/audit.sql'
import type { Environment } from '@coffer/kit/config'
import { type Database, openDatabase } from '@coffer/kit/database'
import { auditLedger } from '@coffer/ledger/audit.sql'
import { bookedRunPages, openEnvelopePages } from '@coffer/ledger/audit-books.sql'
import { databaseUrlOf, requirePostgres } from './databases.ts'
import { type Config, readConfig } from './environment.ts'
import { definitions } from './services.ts'
import { requireTables } from './tables.ts'

/** A rule takes as long as its tables are large: no limit but the user's patience. */
const statementTimeoutMs = 60 * 60_000

/**
 * `coffer audit`: recomputes what must be true of the money, compares the plans with
 * it, and prints what is not so.
 *
 * @returns the exit code: 1 when something was found
 */
export async function audit(env: Environment): Promise<number> {
  const config = readConfig(env)
  await requirePostgres(definitions, config)
  await requireTables(definitions, config)
  await using ledger = await openOne('ledger', config)
  await using budgeting = await openOne('budgeting', config)
  const books = {
    openEnvelopes: () => openEnvelopePages(ledger),
    bookedRuns: () => bookedRunPages(ledger),
  }
  const findings = [...(await auditLedger(ledger)), ...(await auditPlans(budgeting, books))]
  for (const { accountId, rule, detail } of findings) {
    console.log(`${accountId}: not true that ${rule}: ${detail}`)
  }
  console.log(findings.length === 0 ? 'everything adds up' : `${findings.length} findings`)
  return findings.length === 0 ? 0 : 1
}

function openOne(name: string, config: Config): Promise<Database> {
  const schema = definitions.find((definition) => definition.name === name)?.schema ?? name
  const url = databaseUrlOf(name, config)
  return openDatabase({ url, schema, poolSizeMax: 2, statementTimeoutMs })
}
