import type { Booted } from '@coffer/host/testing/boot'
import { auditLedger } from '@coffer/ledger/money/audit.sql'
import { auditPages } from '@coffer/ledger/money/audit-pages.sql'
import pg from 'pg'
import { auditPlans } from '../../src/reconciliation/audit.sql.ts'
import { comparisonActivities } from '../../src/reconciliation/comparison.activities.ts'
import { depsOf } from '../advancing.ts'

/** Creates and restores backups of the ledger's tables, each under a name. */
export interface Backups extends AsyncDisposable {
  create: (name: string) => Promise<void>
  /** Replaces all rows of the ledger by the rows of the backup. */
  restore: (name: string) => Promise<void>
}

export async function createBackups({ databaseUrl }: Booted): Promise<Backups> {
  const admin = new pg.Client({ connectionString: databaseUrl })
  await admin.connect()
  return {
    create: async (backup) => {
      await admin.query(`DROP SCHEMA IF EXISTS ${backup} CASCADE; CREATE SCHEMA ${backup}`)
      for (const { name } of await listTables(admin)) {
        await admin.query(`CREATE TABLE ${backup}.${name} AS TABLE ledger.${name}`)
      }
    },
    restore: async (backup) => {
      await admin.query('BEGIN; SET LOCAL session_replication_role = replica')
      for (const { name, columns } of await listTables(admin)) {
        await admin.query(`DELETE FROM ledger.${name}`)
        await admin.query(`
          INSERT INTO ledger.${name} (${columns}) OVERRIDING SYSTEM VALUE
          SELECT ${columns} FROM ${backup}.${name}`)
      }
      await admin.query('COMMIT')
    },
    [Symbol.asyncDispose]: () => admin.end(),
  }
}

/** Lists the tables of the ledger with their columns, without generated columns. */
async function listTables(admin: pg.Client) {
  const { rows } = await admin.query<{ name: string; columns: string }>(`
    SELECT table_name AS name, string_agg(column_name, ', ') AS columns
    FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
    WHERE table_schema = 'ledger' AND is_generated = 'NEVER' AND table_type = 'BASE TABLE'
    GROUP BY table_name`)
  return rows
}

/** Returns the violations that the audits of money and of plans find. */
export async function findings(booted: Booted) {
  const books = booted.database('ledger')
  return [
    ...(await auditLedger(books)),
    ...(await auditPlans(booted.database('budgeting'), auditPages(books))),
  ]
}

/** Compares all bank accounts with the ledger, as the hourly workflow does. */
export async function comparePlans(booted: Booted, deps = depsOf(booted)): Promise<void> {
  const { comparePage } = comparisonActivities(deps)
  let page: Awaited<ReturnType<typeof comparePage>> = null
  do {
    page = await comparePage(page)
  } while (page !== null)
}
