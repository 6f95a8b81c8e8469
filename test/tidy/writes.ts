import type { File } from './files.ts'

/** Tables that one writer changes, and the files whose statements may: each raises the version. */
const aggregates = [
  {
    name: 'money',
    tables: [
      ...['bank_accounts', 'envelopes', 'transactions', 'journal', 'operations'],
      ...['provider_accounts', 'provider_account_ids', 'provider_transactions'],
    ],
    writers: [
      'services/ledger/src/money/money-save.sql.ts',
      'services/ledger/src/money/removal.sql.ts',
      'services/ledger/src/money/uploaded-rows.sql.ts',
    ],
  },
  {
    name: 'plans',
    tables: [
      ...['plan_books', 'spending', 'funding_schedules', 'funding_runs', 'funding_run_lines'],
    ],
    writers: [
      'services/budgeting/src/ended-bank-account.sql.ts',
      'services/budgeting/src/plans/plan-save.sql.ts',
      // Creates a row to lock.
      'services/budgeting/src/plans/plan-state.sql.ts',
    ],
  },
]

/** Files whose statements may write a table that is named at run time. */
const generic = [
  ...aggregates.flatMap(({ writers }) => writers),
  // What an account leaves behind once its bank accounts are gone, expired rows, sealed rows.
  'services/kit/src/rows.ts',
  'services/kit/src/sealed-rows.sql.ts',
  'services/kit/src/guarded-save.ts',
]

const verb = /\b(?:INSERT\s+INTO|UPDATE|DELETE\s+FROM|MERGE\s+INTO|TRUNCATE(?:\s+TABLE)?)\s+/.source
const computed = new RegExp(`${verb}(?:ONLY\\s+)?\\$\\{`, 'gi')
// The mark for the search of similar transactions is no part of the aggregate.
const mark = '(?!\\s+SET unsearched_from = [^,]*\\sWHERE\\s)'

/** Statements that change money or plans past their one writer (docs/money.md, docs/plans.md). */
export function strayWrites({ path, text }: File): string[] {
  if (!/^(services|gateway|deploy)\/([a-z-]+\/)?src\/.*\.ts$/.test(path)) return []
  const isComputing = /^services\/(ledger|budgeting|kit)\//.test(path) && !generic.includes(path)
  return [
    ...aggregates.flatMap(({ name, tables, writers }) =>
      writers.includes(path) ? [] : found(path, text, writesTo(tables), name),
    ),
    ...(isComputing ? found(path, text, [computed], 'money and plans') : []),
  ]
}

function writesTo(tables: readonly string[]): RegExp[] {
  const name = `"?(?:${tables.join('|')})\\b`
  return [
    new RegExp(`${verb}(?:ONLY\\s+)?(?:"?\\w+"?\\.)?${name}${mark}`, 'gi'),
    // The helpers of kit take the name of a table as a text.
    new RegExp(`\\b(?:insertOf\\(\\s*|deleteSome\\([^)]*\\btable: )'${name}`, 'g'),
    new RegExp(`\\btable: '${name}',\\s*entity\\b`, 'g'),
  ]
}

function found(path: string, text: string, statements: RegExp[], what: string): string[] {
  return statements.flatMap((statement) =>
    [...text.matchAll(statement)].map(({ index, 0: match }) => {
      const line = text.slice(0, index).split('\n').length
      return `${path}:${line}: ${match.replaceAll(/\s+/g, ' ')}: only the writer changes ${what}`
    }),
  )
}
