import { localDay } from '@coffer/kit/values/day'
import { foldText } from '@coffer/kit/values/fold'
import { dayMs } from '@coffer/kit/values/time'
import type { RuleActions, RuleConditions, RuleText } from '@coffer/proto/ledger/v1/rule'
import { magnitudeOf } from '../book/money.ts'
import type { Transaction } from '../book/transaction.ts'

/** Maximum number of rules of an account (docs/limits.md). */
export const rulesMax = 500

/** The parts of a rule that matching needs. */
export interface StoredRule {
  ruleId: string
  conditions: RuleConditions
  actions: RuleActions
  /** Default true. If false, the rule sets nothing, but blocks its fields for later rules. */
  isChosen?: boolean
}

/** The fields of a stored or new transaction that conditions compare. */
export type Candidate = Pick<
  Transaction,
  'bankAccountId' | 'originalName' | 'originalMerchantName' | 'amount' | 'date' | 'source'
> & { isPending: boolean }

/** A candidate with folded texts, and its day of the month in the account's timezone. */
interface Folded extends Omit<Candidate, 'date'> {
  dayOfMonth: () => number
}

type Test = (of: Folded) => boolean

/** A rule whose conditions are compiled once for many transactions. */
export interface CompiledRule {
  ruleId: string
  actions: RuleActions
  isChosen: boolean
  tests: readonly Test[]
}

/** Compiled rules in order; `timezone` decides the day of the month. */
export interface CompiledRules {
  rules: readonly CompiledRule[]
  timezone: string
  index: RuleIndex
}

/**
 * Positions of rules. The rules in `others` require no trigram, so they are always tested. Those in
 * a bucket are tested only if a text contains a trigram of that bucket.
 */
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

/** Length in UTF-16 units of the indexed parts of texts (trigrams). */
const partLength = 3
/** Number of hash buckets, a power of 2. A collision only costs an unnecessary test. */
const bucketCount = 4096

/**
 * Trigram index: each rule is in the bucket of one trigram that its text condition requires, the
 * one that the fewest rules share. Only rules whose trigram is in a text must be tested.
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
  // `Array.from` creates no holes, which would make look-ups slow in V8.
  const index: RuleIndex = { others: [], buckets: Array.from({ length: bucketCount }) }
  for (const [place, buckets] of needed.entries()) {
    const [rarest] = buckets.toSorted((a, b) => (counts.get(a) ?? 0) - (counts.get(b) ?? 0))
    if (rarest === undefined) index.others.push(place)
    else index.buckets[rarest] = [...(index.buckets[rarest] ?? []), place]
  }
  return index
}

/** Returns a part that every text matching the condition contains; null without a long one. */
function neededPart(condition: TextCondition | undefined): string | null {
  if (!condition) return null
  const wanted = foldWanted(condition)
  const pieces = condition.kind === 'pattern' ? wanted.split('*') : [wanted]
  return pieces.find(({ length }) => length >= partLength) ?? null
}

/** Returns the buckets of all trigrams of a text. */
function bucketsOf(text: string): number[] {
  const length = Math.max(0, text.length - partLength + 1)
  return Array.from({ length }, (_, at) => bucketAt(text, at))
}

/** Returns the bucket of the trigram at an index of a text. */
function bucketAt(text: string, at: number): number {
  const first = text.charCodeAt(at) * 31 + text.charCodeAt(at + 1)
  return (first * 31 + text.charCodeAt(at + 2)) % bucketCount
}

/** Returns the positions of the rules to test for folded texts, ascending. */
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

/** Returns the rules whose conditions all match, in order. */
export function matchRules(
  { rules, timezone, index }: CompiledRules,
  of: Candidate,
): CompiledRule[] {
  if (rules.length === 0) return []
  const { bankAccountId, amount, date, source, isPending } = of
  const originalName = foldText(of.originalName)
  // Fast path: rows of files often have the same text in both fields.
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

/** Returns whether a day is in a range. A range with `to < from` continues in the next month. */
function isBetween(day: number, from: number, to: number): boolean {
  return from <= to ? day >= from && day <= to : day >= from || day <= to
}

/** Folds a condition's text; trims blanks, to which spacing accents fold, except for `contains`. */
function foldWanted({ kind, text }: TextCondition): string {
  const folded = foldText(text)
  return kind === 'contains' ? folded : folded.trim()
}

/** Returns a predicate for a condition on a text; it takes folded texts. */
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
 * Returns whether a text matches a pattern, split at its `*`. Greedy without backtracking: taking
 * the leftmost match of each piece leaves the longest rest for the other pieces.
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
