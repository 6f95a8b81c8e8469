import { localDay } from '@coffer/kit/values/day'
import { foldText } from '@coffer/kit/values/fold'
import { dayMs } from '@coffer/kit/values/time'
import type { RuleActions, RuleConditions, RuleText } from '@coffer/proto/ledger/v1/rule'
import type { Transaction } from '../book/transaction.ts'

/** Maximum number of rules of an account (docs/limits.md). */
export const rulesMax = 500

/** A rule as matching needs it. */
export interface StoredRule {
  ruleId: string
  conditions: RuleConditions
  actions: RuleActions
}

/** The fields of a transaction, or of a row that becomes one, that conditions look at. */
export type Candidate = Pick<
  Transaction,
  'bankAccountId' | 'originalName' | 'originalMerchantName' | 'amount' | 'date' | 'source'
> & { isPending: boolean }

/** A candidate with folded texts, and its day of the month in the account's timezone. */
interface Folded extends Omit<Candidate, 'date'> {
  dayOfMonth: number
}

type Test = (of: Folded) => boolean

/** A rule whose conditions are compiled once for many rows. */
export interface CompiledRule {
  ruleId: string
  actions: RuleActions
  tests: readonly Test[]
}

/** Rules in their order; the timezone decides the day of the month. */
export interface CompiledRules {
  rules: readonly CompiledRule[]
  timezone: string
}

/** Compiles rules, given in their order. */
export function compileRules(stored: readonly StoredRule[], timezone: string): CompiledRules {
  const rules = stored.map(({ ruleId, actions, conditions }) => {
    return { ruleId, actions, tests: testsOf(conditions) }
  })
  return { rules, timezone }
}

/** Returns the rules whose conditions all hold, in their order. */
export function matchRules({ rules, timezone }: CompiledRules, of: Candidate): CompiledRule[] {
  if (rules.length === 0) return []
  const { date, originalName, originalMerchantName, ...rest } = of
  const folded = {
    ...rest,
    originalName: foldText(originalName),
    originalMerchantName: foldText(originalMerchantName),
    dayOfMonth: new Date(localDay(date.getTime(), timezone) * dayMs).getUTCDate(),
  }
  return rules.filter(({ tests }) => tests.every((test) => test(folded)))
}

function testsOf(conditions: RuleConditions): Test[] {
  const { originalName, originalMerchantName, bankAccountId, source, isPending } = conditions
  const { amountFrom, amountTo, direction, dayFrom, dayTo } = conditions
  const tests: Test[] = []
  if (bankAccountId !== undefined) tests.push((of) => of.bankAccountId === bankAccountId)
  if (source !== undefined) tests.push((of) => of.source === source)
  if (isPending !== undefined) tests.push((of) => of.isPending === isPending)
  if (direction !== undefined) tests.push(({ amount }) => amount < 0n === (direction === 'in'))
  if (amountFrom !== undefined) tests.push(({ amount }) => sizeOf(amount) >= amountFrom)
  if (amountTo !== undefined) tests.push(({ amount }) => sizeOf(amount) <= amountTo)
  if (dayFrom !== undefined || dayTo !== undefined) {
    tests.push(({ dayOfMonth }) => isBetween(dayOfMonth, dayFrom ?? 1, dayTo ?? 31))
  }
  if (originalName) {
    const isMatch = textTest(originalName)
    tests.push((of) => isMatch(of.originalName))
  }
  if (originalMerchantName) {
    const isMatch = textTest(originalMerchantName)
    tests.push((of) => isMatch(of.originalMerchantName))
  }
  return tests
}

function sizeOf(amount: bigint): bigint {
  return amount < 0n ? -amount : amount
}

/** Returns whether a day is in a range, which goes over the end of the month if it ends earlier. */
function isBetween(day: number, from: number, to: number): boolean {
  return from <= to ? day >= from && day <= to : day >= from || day <= to
}

function textTest({ kind, text }: RuleText): (folded: string) => boolean {
  const wanted = foldText(text)
  if (kind === 'equals') return (folded) => folded.trim() === wanted
  if (kind === 'startsWith') return (folded) => folded.trimStart().startsWith(wanted)
  if (kind === 'contains') return (folded) => folded.includes(wanted)
  const pieces = wanted.split('*')
  return (folded) => fitsPattern(folded.trim(), pieces)
}

/**
 * Returns whether a text fits a pattern, split at its `*`. No backtracking: the leftmost place of
 * each piece leaves the longest rest, so no other place can fit if this one does not.
 */
function fitsPattern(text: string, pieces: readonly string[]): boolean {
  const [first = ''] = pieces
  const last = pieces.at(-1) ?? ''
  if (pieces.length === 1) return text === first
  const end = text.length - last.length
  if (!text.startsWith(first) || !text.endsWith(last) || end < first.length) return false
  let at = first.length
  for (const piece of pieces.slice(1, -1)) {
    const found = text.indexOf(piece, at)
    if (found === -1 || found + piece.length > end) return false
    at = found + piece.length
  }
  return true
}
