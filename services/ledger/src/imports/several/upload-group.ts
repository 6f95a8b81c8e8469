import { say } from '@coffer/kit/reasons/reasons'
import { invalid, refused } from '@coffer/kit/rpc/errors'
import type { StatementMapping } from '@coffer/proto/ledger/v1/upload'
import type { values } from '@coffer/proto/values'
import { z } from 'zod'
import type { BankAccount } from '../../book/bank-account.ts'
import { fileKinds } from '../formats/file-kind.ts'
import { ReadingChoices } from '../formats/reading-choices.ts'
import { ListedStatement } from '../formats/statement.ts'
import { joinsMax, type NamedJoin } from '../joining/row-joins.ts'
import { StoredFile } from '../storage/stored-file.ts'
import type { Upload } from '../upload.ts'

/** The upload of a file for several bank accounts (docs/files.md#all-accounts). */
export const UploadGroup = z.object({
  accountId: z.string(),
  uploadGroupId: z.string(),
  fileId: z.string(),
  format: z.enum(fileKinds),
  statements: z.array(ListedStatement),
  choices: ReadingChoices.nullable(),
  createdAt: z.date(),
  createdBy: z.string(),
})
export type UploadGroup = z.infer<typeof UploadGroup>

/** The file of a group, which belongs to no bank account. */
export const GroupFile = StoredFile.omit({ bankAccountId: true })
export type GroupFile = z.infer<typeof GroupFile>

/**
 * Maps an account of the file (`statement`) to the bank account to import it into. `joins` are the
 * rows to join there; null repeats the joins of the failed import.
 */
export type Mapping = { statement: string; bankAccountId: string; joins: NamedJoin[] | null }

/** A group with its file and its uploads, at most one for each statement. */
export type FoundGroup = { group: UploadGroup; file: GroupFile; uploads: readonly Upload[] }

/** Maximum number of accounts of a file that are imported (docs/limits.md). */
const mappedMax = 20

/** Returns the mappings of a request. Throws `invalid` if they have more joins than an import. */
export function mappingsOf(statements: readonly StatementMapping[]): Mapping[] {
  const count = statements.reduce((sum, { joins }) => sum + (joins?.joins.length ?? 0), 0)
  if (count > joinsMax) {
    const text = say('JOINS_MAX', { max: joinsMax })
    throw invalid({ statements: text })
  }
  return statements.map(({ statement, bankAccountId, joins }) => ({
    statement,
    bankAccountId,
    joins: joins ? plainJoins(joins.joins) : null,
  }))
}

type GroupStatus = (typeof values)['UploadGroup.status'][number]

export function statementOf(upload: Pick<Upload, 'choices'>): string {
  return upload.choices?.statement ?? ''
}

/** Returns the status of a group, derived from its uploads. */
export function statusOf({ file, uploads }: FoundGroup): GroupStatus {
  if (uploads.length === 0) return file.deletedAt === null ? 'mapping' : 'expired'
  const has = (...all: Upload['status'][]) => uploads.some(({ status }) => all.includes(status))
  if (has('pending', 'processing')) return 'processing'
  return has('failed') ? 'failed' : 'complete'
}

/** Returns the instant of the last undo; null unless all complete uploads are undone. */
export function undoneAtOf({ uploads }: Pick<FoundGroup, 'uploads'>): Date | null {
  const complete = uploads.filter(({ status }) => status === 'complete')
  const instants = complete.flatMap(({ undoneAt }) => undoneAt?.getTime() ?? [])
  return instants.length === 0 || instants.length < complete.length
    ? null
    : new Date(Math.max(...instants))
}

/** Throws `refused` while an import of the group runs (409), and without a complete one (400). */
export function requireUndoable(found: FoundGroup): void {
  const status = statusOf(found)
  if (status === 'processing') {
    throw refused(say('IMPORTS_RUN'), { status: 409 })
  }
  if (!found.uploads.some((one) => one.status === 'complete')) {
    throw refused(say('IMPORTS_MISSING'))
  }
}

type ProblemsOf = Record<string, Partial<Record<keyof Mapping, string>>>

function requireNone(problems: ProblemsOf): void {
  if (Object.keys(problems).length > 0) throw invalid({ statements: problems })
}

/**
 * Throws `invalid` with the fields at fault unless each statement is in the file, each bank account
 * is live and manual, and neither is mapped twice.
 */
export function requireMappings(
  mappings: readonly Mapping[],
  known: { statements: readonly ListedStatement[]; bankAccounts: readonly BankAccount[] },
): void {
  if (mappings.length > mappedMax) {
    throw invalid({ statements: say('STATEMENTS_MAX', { max: mappedMax }) })
  }
  const problems: ProblemsOf = {}
  for (const [index, { statement, bankAccountId }] of mappings.entries()) {
    const before = mappings.slice(0, index)
    const bankAccount = known.bankAccounts.find((one) => one.bankAccountId === bankAccountId)
    const found: ProblemsOf[string] = {}
    if (!known.statements.some((one) => one.statement === statement)) {
      found.statement = say('STATEMENT_UNKNOWN', { known: listOf(known.statements) })
    } else if (before.some((one) => one.statement === statement)) {
      found.statement = say('STATEMENT_REPEATED')
    }
    if (!bankAccount) found.bankAccountId = say('TARGET_ARCHIVED')
    else if (bankAccount.linkType !== 'manual') {
      found.bankAccountId = say('TARGET_NOT_MANUAL')
    } else if (before.some((one) => one.bankAccountId === bankAccountId)) {
      found.bankAccountId = say('TARGET_REPEATED')
    }
    if (Object.keys(found).length > 0) problems[index] = found
  }
  requireNone(problems)
}

function listOf(statements: readonly ListedStatement[]): string {
  const names = statements.slice(0, 5).map(({ statement }) => `"${statement}"`)
  return `use ${names.join(', ')}${statements.length > 5 ? ' or another one that is listed' : ''}`
}

/** Returns the mappings whose statement, as listed, has another currency than the bank account. */
export function otherCurrencies(
  mappings: readonly Mapping[],
  known: { statements: readonly ListedStatement[]; bankAccounts: readonly BankAccount[] },
): { index: number; own: string; stated: string }[] {
  return mappings.flatMap(({ statement, bankAccountId }, index) => {
    const stated = known.statements.find((one) => one.statement === statement)?.currency ?? ''
    const own = known.bankAccounts.find((one) => one.bankAccountId === bankAccountId)?.currency
    return own === undefined || own === stated ? [] : [{ index, own, stated }]
  })
}

/** Throws `invalid` for mappings to a bank account of another currency. */
export function requireCurrencies(faults: ReturnType<typeof otherCurrencies>): void {
  const problems = faults.map(({ index, own, stated }) => [
    index,
    { bankAccountId: say('TARGET_CURRENCY', { own, stated }) },
  ])
  requireNone(Object.fromEntries(problems) as ProblemsOf)
}

/**
 * Returns the mappings that need an import (`wanted`): of statements that are new or failed.
 * `replaced` has the failed uploads, whose joins are kept if the mapping has none. A statement that
 * is imported or being imported needs no import into the same bank account. Throws `invalid` with
 * the fields at fault for another bank account, or for a bank account with another statement.
 */
export function planImports(
  mappings: readonly Mapping[],
  uploads: readonly Upload[],
): { wanted: Mapping[]; replaced: Upload[] } {
  const problems: ProblemsOf = {}
  const live = uploads.filter(({ status }) => status !== 'failed')
  const failed = uploads.filter(({ status }) => status === 'failed')
  const missing = mappings.filter(({ statement, bankAccountId }, index) => {
    const same = live.find((one) => statementOf(one) === statement)
    if (same?.bankAccountId === bankAccountId) return false
    const other = live.find((one) => one.bankAccountId === bankAccountId)
    if (same) problems[index] = { statement: say('STATEMENT_IMPORTED') }
    else if (other) problems[index] = { bankAccountId: say('TARGET_USED') }
    return true
  })
  requireNone(problems)
  const replaced = failed.filter((upload) =>
    missing.some((one) => one.statement === statementOf(upload)),
  )
  const wanted = missing.map((one) => ({ ...one, joins: one.joins ?? formerJoins(one, failed) }))
  return { wanted, replaced }
}

/** Returns the mappings of failed uploads that need a choice, to import them again with it. */
export function askingMappings(uploads: readonly Upload[]): Mapping[] {
  return uploads
    .filter(({ status, asks }) => status === 'failed' && asks !== null)
    .map((upload) => ({
      statement: statementOf(upload),
      bankAccountId: upload.bankAccountId,
      joins: null,
    }))
}

/** Returns the joins of a mapping's failed import into the same bank account; null without one. */
function formerJoins(
  { statement, bankAccountId }: Mapping,
  failed: readonly Upload[],
): NamedJoin[] | null {
  const former = failed.find(
    (one) => statementOf(one) === statement && one.bankAccountId === bankAccountId,
  )
  return former?.joins ? plainJoins(former.joins) : null
}

/** Returns joins as the client named them, without results. */
function plainJoins(
  joins: readonly Pick<NamedJoin, 'uploadIdentifier' | 'transactionId'>[],
): NamedJoin[] {
  return joins.map(({ uploadIdentifier, transactionId }) => ({ uploadIdentifier, transactionId }))
}
