import type { File } from './files.ts'

/** The tables of a bank account's money. */
const tables = [
  ...['bank_accounts', 'envelopes', 'transactions', 'journal', 'operations'],
  ...['provider_accounts', 'provider_account_ids', 'provider_transactions'],
]

/** Files whose statements may write them; each raises the version of the bank account. */
const writers = [
  'services/ledger/src/money/money-save.sql.ts',
  'services/ledger/src/money/removal.sql.ts',
  'services/ledger/src/money/uploaded-rows.sql.ts',
]

/** Files of the ledger and kit whose statements may write a table that is named at run time. */
const generic = [
  ...writers,
  // What an account leaves behind once its bank accounts are gone, expired rows, sealed rows.
  'services/kit/src/rows.ts',
  'services/kit/src/sealed-rows.sql.ts',
]

const verb = /\b(?:INSERT\s+INTO|UPDATE|DELETE\s+FROM|MERGE\s+INTO|TRUNCATE(?:\s+TABLE)?)\s+/.source
const name = `"?(?:${tables.join('|')})\\b`
// The mark for the search of similar transactions is no part of the aggregate.
const mark = '(?!\\s+SET unsearched_from = [^,]*\\sWHERE\\s)'
const named = new RegExp(`${verb}(?:ONLY\\s+)?(?:"?\\w+"?\\.)?${name}${mark}`, 'gi')
// The helpers of kit take the name of a table as a text.
const passed = new RegExp(`\\b(?:insertOf\\(\\s*|deleteSome\\([^)]*\\btable: )'${name}`, 'g')
const computed = new RegExp(`${verb}(?:ONLY\\s+)?\\$\\{`, 'gi')

/** Statements that change money past the one writer (docs/money.md). */
export function strayWrites({ path, text }: File): string[] {
  if (!/^(services|gateway|deploy)\/([a-z-]+\/)?src\/.*\.ts$/.test(path)) return []
  const wanted = [
    ...(writers.includes(path) ? [] : [named, passed]),
    ...(/^services\/(ledger|kit)\//.test(path) && !generic.includes(path) ? [computed] : []),
  ]
  return wanted.flatMap((statement) =>
    [...text.matchAll(statement)].map(({ index, 0: found }) => {
      const line = text.slice(0, index).split('\n').length
      return `${path}:${line}: ${found.replaceAll(/\s+/g, ' ')}: only the writer changes money`
    }),
  )
}
