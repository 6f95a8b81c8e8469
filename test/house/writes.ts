import { type File, isCode, isTest } from './files.ts'
import { lineAt, type Module, resolve } from './modules.ts'

/**
 * Tables that only listed files may change (docs/money.md). `writers` maps each file with
 * statements that change the tables to the files that may import it.
 */
const aggregates: Aggregate[] = [
  {
    name: 'money',
    tables: [
      'bank_accounts',
      'envelopes',
      'transactions',
      'journal',
      'operations',
      'provider_accounts',
      'provider_account_ids',
      'provider_transactions',
    ],
    folder: 'services/ledger/src/',
    writers: {
      'money/assigned-rows.sql.ts': [
        'envelopes/envelope.rpc.ts',
        'transactions/transaction.rpc.ts',
      ],
      'money/dates.sql.ts': [
        'tenancy/timezone.activities.ts',
        'accounts/bank-account-creation.service.ts',
      ],
      'money/link-type.sql.ts': ['syncs/sync-links.rpc.ts'],
      'money/money-save.sql.ts': [
        'money/writer.service.ts',
        'accounts/bank-account-creation.service.ts',
      ],
      'money/removal.sql.ts': [
        'tenancy/account-deletion.sql.ts',
        'tenancy/link-clean-up.activities.ts',
        'accounts/link-deletion.service.ts',
        'money/link-type.sql.ts',
      ],
      'money/uploaded-rows.sql.ts': [
        'imports/file-import.activities.ts',
        'imports/several/undo.service.ts',
      ],
    },
  },
  {
    name: 'plans',
    tables: ['plan_books', 'spending', 'funding_schedules', 'funding_runs', 'funding_run_lines'],
    folder: 'services/budgeting/src/',
    writers: {
      'tenancy/ended-bank-account.sql.ts': [
        'advance/advance-together.service.ts',
        'reconciliation/comparison.activities.ts',
        'tenancy/removal.activities.ts',
      ],
      'plans/plan-save.sql.ts': ['plans/writer.service.ts'],
      // Inserts the row that `writer.service.ts` locks.
      'plans/plan-state.sql.ts': ['plans/writer.service.ts'],
      // Deletes the plans of deleted bank accounts.
      'tenancy/removal.sql.ts': ['tenancy/removal.activities.ts'],
    },
  },
]

/** Migrations, besides a service's first one, that may write the tables of `aggregates`. */
const backfills = ['services/budgeting/migrations/0002-plan-books.sql']

/** Files that may contain SQL statements in which the table's name is a parameter of the code. */
const generic = [
  ...aggregates.flatMap(writersOf),
  'services/kit/src/database/guarded-save.ts',
  'services/kit/src/database/rows.ts',
  'services/host/src/secrets/sealed-rows.sql.ts',
  // Deletes rows of deleted accounts.
  'services/kit/src/accounts/account-removal.sql.ts',
  // Deletes expired rows of the tables that every service has.
  'services/host/src/housekeeping.ts',
]

interface Aggregate {
  name: string
  tables: string[]
  folder: string
  writers: Record<string, string[]>
}

const gap = /(?:\s|\/\*[\s\S]*?\*\/|--[^\n]*\n)+/.source
const verbs = ['INSERT INTO', 'UPDATE', 'DELETE FROM', 'MERGE INTO', 'TRUNCATE(?: TABLE)?', 'COPY']
const verb = `\\b(?:${verbs.join('|').replaceAll(' ', gap)})`
const target = `${verb}${gap}(?:ONLY${gap})?`
const schema = /(?:"?\w+"?\s*\.\s*)?/.source
const quote = '[\'"`]'

const computed = [
  new RegExp(`${target}(?:\\$\\{|${quote}\\s*\\+)|${verb}${quote}\\s*\\+`, 'gi'),
  // Calls of functions in kit whose argument for the table is not a string literal.
  new RegExp(`\\binsertOf\\((?!\\s*${quote})`, 'g'),
  new RegExp(`\\bdeleteSome\\([^)]*\\btable\\b(?!:\\s*${quote})`, 'g'),
  /\btable(?::\s*[\w.]+)?,\s*entity\b/g,
]

/** Returns SQL statements that change money or plans in a file that is not listed as a writer. */
export function strayWrites(file: File): string[] {
  const { path } = file
  const isLaterMigration = /\/migrations\/(?!0001-)[^/]+\.sql$/.test(path)
  const isWatched = isLaterMigration ? !backfills.includes(path) : isCode(file) && !isTest(path)
  if (!isWatched) return []
  const isComputing = /^services\/(ledger|budgeting|kit)\//.test(path) && !generic.includes(path)
  return [
    ...aggregates.flatMap((aggregate) =>
      writersOf(aggregate).includes(path) ? [] : found(file, writesTo(aggregate), aggregate.name),
    ),
    ...(isComputing ? found(file, computed, 'money and plans') : []),
  ]
}

/** Returns imports of a writer's file by files that are not listed as its importers. */
export function strayImports({ path, imports }: Module): string[] {
  if (isTest(path)) return []
  return aggregates.flatMap(({ name, folder, writers }) =>
    Object.entries(writers).flatMap(([writer, importers]) => {
      if (importers.some((importer) => path === folder + importer)) return []
      const stray = imports.filter((one) => resolve(path, one.specifier) === folder + writer)
      return stray.map(({ line }) => `${path}:${line}: imports ${writer}, past the ${name} writer`)
    }),
  )
}

/** Modules that emit which objects have changed (docs/events.md#objects-that-changed). */
const tellers = /\/(changed-rows\.sql|money-events\.service|objects-changed)(\.ts)?$/

/** Files that write money or plans and tell nothing, each with the reason. */
const untold: Record<string, string> = {
  'services/ledger/src/tenancy/account-deletion.sql.ts': 'the account and its clients are gone',
  'services/ledger/src/tenancy/link-clean-up.activities.ts': 'the deletion of the link told it',
  'services/budgeting/src/advance/advance-together.service.ts': 'tombstones are seen by jobs only',
  'services/budgeting/src/reconciliation/comparison.activities.ts':
    'tombstones are seen by jobs only',
  'services/budgeting/src/tenancy/removal.activities.ts': 'the deletion of the link told it',
}

/** Returns importers of a writer that do not tell what changed, unless the writer tells it. */
export function untoldWrites(modules: readonly Module[]): string[] {
  const tells = (path: string) => {
    const found = modules.find((one) => one.path === path)
    return found === undefined || found.imports.some(({ specifier }) => tellers.test(specifier))
  }
  const silent = aggregates.flatMap(({ folder, writers }) =>
    Object.entries(writers).flatMap(([writer, importers]) => {
      if (tells(folder + writer)) return []
      return importers.map((importer) => folder + importer).filter((path) => !tells(path))
    }),
  )
  const isWriter = (path: string) => aggregates.some((one) => writersOf(one).includes(path))
  const faults = [...new Set(silent)].filter((path) => !isWriter(path) && !(path in untold))
  return faults.map((path) => `${path}: writes, and tells no object that changes`)
}

function writersOf({ folder, writers }: Aggregate): string[] {
  return Object.keys(writers).map((writer) => folder + writer)
}

function writesTo({ tables }: Aggregate): RegExp[] {
  // Exempt: the search for similar transactions sets `unsearched_from` without the money writer.
  const mark = `(?<=bank_accounts)${gap}SET${gap}unsearched_from = [^,()]*\\sWHERE\\s`
  const name = `"?(?:${tables.join('|')})\\b(?!${mark})`
  return [
    new RegExp(`${target}${schema}${name}`, 'gi'),
    new RegExp(`\\bTRUNCATE\\b[\\w\\s".,]*,\\s*(?:ONLY\\s+)?${schema}${name}`, 'gi'),
    new RegExp(`\\b(?:insertOf\\(\\s*|deleteSome\\([^)]*\\btable: )${quote}${name}`, 'g'),
    new RegExp(`\\btable: ${quote}${name}${quote},\\s*entity\\b`, 'g'),
  ]
}

function found({ path, text }: File, statements: RegExp[], what: string): string[] {
  return statements.flatMap((statement) =>
    [...text.matchAll(statement)].map(({ index, 0: match }) => {
      const shown = match.replaceAll(/\s+/g, ' ')
      return `${path}:${lineAt(text, index)}: ${shown}: only the writer changes ${what}`
    }),
  )
}
