import { localDay } from '@coffer/kit/values/day'
import { foldText } from '@coffer/kit/values/fold'
import { dayMs } from '@coffer/kit/values/time'
import type { RuleActions, RuleConditions, RuleText } from '@coffer/proto/ledger/v1/rule'
import { magnitudeOf } from '../book/money.ts'
import type { Transaction } from '../book/transaction.ts'

/** Maximum number of rules of an account (docs/limits.md). */
export const rulesMax = 500

/** A rule as matching needs it. */
export interface StoredRule {
  ruleId: string
  conditions: RuleConditions
  actions: RuleActions
  /** By default true: otherwise it decides its fields against chosen rules, and sets none. */
  isChosen?: boolean
}

/** The fields of a transaction, or of a row that becomes one, that conditions look at. */
export type Candidate = Pick<
  Transaction,
  'bankAccountId' | 'originalName' | 'originalMerchantName' | 'amount' | 'date' | 'source'
> & { isPending: boolean }

/** A candidate with folded texts, and its day of the month in the account's timezone. */
interface Folded extends Omit<Candidate, 'date'> {
  dayOfMonth: () => number
}

type Test = (of: Folded) => boolean

/** A rule whose conditions are compiled once for many rows. */
export interface CompiledRule {
  ruleId: string
  actions: RuleActions
  isChosen: boolean
  tests: readonly Test[]
}

/** Rules in their order; the timezone decides the day of the month. */
export interface CompiledRules {
  rules: readonly CompiledRule[]
  timezone: string
  index: RuleIndex
}

/** Places of rules in their order: those to test always, and by a part of the text they need. */
interface RuleIndex {
  others: number[]
  buckets: (number[] | undefined)[]
}

/** Compiles rules, given in their order. */
export function compileRules(stored: readonly StoredRule[], timezone: string): CompiledRules {
  const rules = stored.map(({ ruleId, actions, conditions, isChosen = true }) => {
    return { ruleId, actions, isChosen, tests: testsOf(conditions) }
  })
  return { rules, timezone, index: indexRules(stored) }
}

type TextCondition = Pick<RuleText, 'kind' | 'text'>

/** Length in UTF-16 units of the parts of texts by which rules are found. */
const partLength = 3
/** Number of buckets: a power of 2. Parts that share one cost a test, no more. */
const bucketCount = 4096

/**
 * Returns an index of rules: a hash of three units of a text that a rule needs, those that the
 * fewest rules have. Of 200 rules few need units that a text has, and only those are tested.
 */
function indexRules(stored: readonly StoredRule[]): RuleIndex {
  const needed = stored.map(({ conditions: { originalName, originalMerchantName } }) => {
    const part = neededPart(originalName) ?? neededPart(originalMerchantName)
    return part === null ? [] : bucketsOf(part)
  })
  const counts = new Map<number, number>()
  for (const bucket of needed.flatMap((buckets) => [...new Set(buckets)])) {
    counts.set(bucket, (counts.get(bucket) ?? 0) + 1)
  }
  // Without holes: reading one is slow.
  const index: RuleIndex = { others: [], buckets: Array.from({ length: bucketCount }) }
  for (const [place, buckets] of needed.entries()) {
    const [rarest] = buckets.toSorted((a, b) => (counts.get(a) ?? 0) - (counts.get(b) ?? 0))
    if (rarest === undefined) index.others.push(place)
    else index.buckets[rarest] = [...(index.buckets[rarest] ?? []), place]
  }
  return index
}

/** Returns a part of a text that fulfils a condition; null if the condition has no long one. */
function neededPart(condition: TextCondition | undefined): string | null {
  if (!condition) return null
  const wanted = foldWanted(condition)
  const pieces = condition.kind === 'pattern' ? wanted.split('*') : [wanted]
  return pieces.find(({ length }) => length >= partLength) ?? null
}

/** Returns the buckets of all parts of a text. */
function bucketsOf(text: string): number[] {
  const length = Math.max(0, text.length - partLength + 1)
  return Array.from({ length }, (_, at) => bucketAt(text, at))
}

/** Returns the bucket of the three units of a text from a place on. */
function bucketAt(text: string, at: number): number {
  const first = text.charCodeAt(at) * 31 + text.charCodeAt(at + 1)
  return (first * 31 + text.charCodeAt(at + 2)) % bucketCount
}

/** Returns the places of the rules to test for these folded texts, in their order. */
function findPlaces({ others, buckets }: RuleIndex, texts: readonly string[]): readonly number[] {
  const found: number[] = []
  for (const text of texts) {
    for (let at = 0; at + partLength <= text.length; at += 1) {
      for (const place of buckets[bucketAt(text, at)] ?? none) found.push(place)
    }
  }
  if (found.length === 0) return others
  if (found.length === 1 && others.length === 0) return found
  return [...new Set([...others, ...found])].sort((a, b) => a - b)
}

const none: readonly number[] = []

/** Returns the rules whose conditions all hold, in their order. */
export function matchRules(
  { rules, timezone, index }: CompiledRules,
  of: Candidate,
): CompiledRule[] {
  if (rules.length === 0) return []
  const { bankAccountId, amount, date, source, isPending } = of
  const originalName = foldText(of.originalName)
  // Files have one text in both.
  const isSame = of.originalMerchantName === of.originalName
  const originalMerchantName = isSame ? originalName : foldText(of.originalMerchantName)
  const places = findPlaces(index, isSame ? [originalName] : [originalName, originalMerchantName])
  if (places.length === 0) return []
  const dayOfMonth = () => new Date(localDay(date.getTime(), timezone) * dayMs).getUTCDate()
  const texts = { originalName, originalMerchantName }
  const folded = { bankAccountId, amount, source, isPending, ...texts, dayOfMonth }
  return places.flatMap((at) => {
    const rule = rules[at]
    return rule?.tests.every((test) => test(folded)) ? rule : []
  })
}

function testsOf(conditions: RuleConditions): Test[] {
  const { originalName, originalMerchantName, bankAccountId, source, isPending } = conditions
  const { amountFrom, amountTo, direction, dayFrom, dayTo } = conditions
  const tests: Test[] = []
  if (bankAccountId !== undefined) tests.push((of) => of.bankAccountId === bankAccountId)
  if (source !== undefined) tests.push((of) => of.source === source)
  if (isPending !== undefined) tests.push((of) => of.isPending === isPending)
  if (direction !== undefined) tests.push(({ amount }) => amount < 0n === (direction === 'in'))
  if (amountFrom !== undefined) tests.push(({ amount }) => magnitudeOf(amount) >= amountFrom)
  if (amountTo !== undefined) tests.push(({ amount }) => magnitudeOf(amount) <= amountTo)
  if (dayFrom !== undefined || dayTo !== undefined) {
    tests.push(({ dayOfMonth }) => isBetween(dayOfMonth(), dayFrom ?? 1, dayTo ?? 31))
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

/** Returns whether a day is in a range, which goes over the end of the month if it ends earlier. */
function isBetween(day: number, from: number, to: number): boolean {
  return from <= to ? day >= from && day <= to : day >= from || day <= to
}

/** Returns the fold of a condition's text, without the blank of a spacing accent at an end. */
function foldWanted({ kind, text }: TextCondition): string {
  const folded = foldText(text)
  return kind === 'contains' ? folded : folded.trim()
}

/** Returns the test of a condition on a text, for folded texts. */
export function textTest(condition: TextCondition): (folded: string) => boolean {
  const { kind } = condition
  const wanted = foldWanted(condition)
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
