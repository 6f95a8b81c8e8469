import { foldText } from '@coffer/kit/values/fold'
import type { RuleText } from '@coffer/proto/ledger/v1/rule'
import { findMerchant, type Word } from './bank-text.ts'
import { foldWord, genericWords } from './bank-words.ts'
import { nameOf } from './merchant-name.ts'

/** A text of a bank with the number of transactions that have it. */
export interface TextCount {
  text: string
  count: number
  /** Cluster ID of one of these transactions; null without a cluster. */
  clusterId: string | null
}

/** Texts of one merchant, a condition that matches them, and a readable name. */
export interface TextGroup {
  condition: Pick<RuleText, 'kind' | 'text'>
  name: string
  texts: string[]
  /** The shared words, folded. */
  key: string
  /**
   * All possible values of `key`: the shared words, and the end of a name, depend on the account's
   * other texts, so `key` may change when texts are added.
   */
  keys: ReadonlySet<string>
}

interface Parsed extends TextCount {
  words: Word[]
  /** Folded words of the name; texts with equal keys are of one merchant. */
  key: string[]
}

/** Minimum number of a merchant's transactions for a suggestion. */
export const rowsMin = 3

/** Minimum number of different names before a word, for which the word is taken as a place. */
const headsMin = 4

/** Groups texts by merchant, largest groups first (docs/rules/suggestions.md#texts). */
export function groupTexts(texts: readonly TextCount[]): TextGroup[] {
  const common = findCommon(texts)
  const parsed = texts.flatMap((one): Parsed[] => {
    const words = findMerchant(one.text, common)
    const key = keyOf(words)
    return key.length === 0 ? [] : [{ ...one, words, key }]
  })
  const keyed = [...Map.groupBy(parsed, ({ key }) => key.join(' ')).values()]
  const heads = Map.groupBy(keyed, ([one]) => one?.key[0] ?? '')
  const groups = [...heads.values()].flatMap(mergeKeys).sort((a, b) => countOf(b) - countOf(a))
  return groups.flatMap((group) => {
    if (countOf(group) < rowsMin) return []
    const shared = sharedLength(group.map(({ key }) => key))
    const condition = findCondition(group, shared)
    const [first] = group
    const name = first ? nameOf(leading(first, shared)) : ''
    if (condition === null || name === '') return []
    const key = (first?.key ?? []).slice(0, shared).join(' ')
    return { condition, name, texts: group.map(({ text }) => text), key, keys: findKeys(group) }
  })
}

/** Returns all prefixes, in words, of the texts' names; at least two words after a generic word. */
function findKeys(group: readonly Parsed[]): Set<string> {
  const keys = group.flatMap(({ text }) => {
    const key = keyOf(findMerchant(text))
    const least = key.length > 1 && genericWords.has(foldWord(key[0] ?? '')) ? 2 : 1
    return key.slice(least - 1).map((_, at) => key.slice(0, least + at).join(' '))
  })
  return new Set(keys)
}

function keyOf(words: readonly Word[]): string[] {
  return foldText(nameOf(words)).split(' ').filter(Boolean)
}

/** Returns the words that follow the names of several merchants: they are taken as places. */
function findCommon(texts: readonly TextCount[]): Set<string> {
  const heads = new Map<string, Set<string>>()
  for (const { text } of texts) {
    const [head, ...behind] = findMerchant(text)
    for (const { folded } of behind) {
      const known = heads.get(folded) ?? new Set()
      heads.set(folded, known.add(head?.folded ?? ''))
    }
  }
  const common = [...heads].filter(
    ([word, { size }]) => size >= headsMin && !genericWords.has(word),
  )
  return new Set(common.map(([word]) => word))
}

/**
 * Merges texts whose keys have the same first word: keys of fewer than three transactions, such as
 * branches, and the key of that word alone. After a generic word, they must share a cluster, too.
 */
function mergeKeys(keys: Parsed[][]): Parsed[][] {
  const small = keys.filter((one) => countOf(one) < rowsMin || one[0]?.key.length === 1)
  const large = keys.filter((one) => !small.includes(one))
  const head = small[0]?.[0]?.key[0] ?? ''
  if (small.length < 2) return [...large, ...small]
  if (!genericWords.has(foldWord(head)) && [...head].length >= 2) return [...large, small.flat()]
  const clustered = Map.groupBy(small, (one) => {
    const { key = [], clusterId = null } = one[0] ?? {}
    return `${key.slice(0, 2).join(' ')} ${clusterId ?? ''}`
  })
  return [...large, ...[...clustered.values()].map((some) => some.flat())]
}

function countOf(texts: readonly TextCount[]): number {
  return texts.reduce((sum, { count }) => sum + count, 0)
}

/** Returns the length in words of the common prefix of all keys. */
function sharedLength(keys: readonly (readonly string[])[]): number {
  const [first = []] = keys
  const differs = first.findIndex((word, at) => keys.some((key) => key[at] !== word))
  return differs === -1 ? first.length : differs
}

/** Returns the words of a text from which the first `length` words of its key are derived. */
function leading({ words }: Parsed, length: number): Word[] {
  const at = words.findIndex((_, index) => {
    return keyOf(words.slice(0, index + 1)).length >= length
  })
  return words.slice(0, at + 1)
}

/** Minimum length of a part for a `contains` condition: unrelated texts contain shorter parts. */
const lengthMin = 5

/**
 * Returns a condition that matches all texts of a group: a part of a text with the shared words. A
 * short part must begin all texts, be extended by the word before it, or be between blanks. Returns
 * null if no condition matches.
 */
function findCondition(group: readonly Parsed[], shared: number): TextGroup['condition'] | null {
  const folds = group.map(({ text }) => foldText(text))
  const spans = group.map((one) => spanOf(one, leading(one, shared)))
  const parts = [...new Set(spans.map(({ part }) => part))].toSorted((a, b) => a.length - b.length)
  const inAll = (part: string) => folds.every((fold) => fold.includes(foldText(part)))
  const part = parts.find(inAll)
  if (part !== undefined) {
    if ([...foldText(part)].length >= lengthMin) return { kind: 'contains', text: part }
    const begins = folds.every((fold) => fold.trimStart().startsWith(foldText(part)))
    if (begins) return { kind: 'startsWith', text: part }
    const longer = spans.map(({ before }) => before).find((one) => one !== part && inAll(one))
    if (longer !== undefined) return { kind: 'contains', text: longer }
    const isWord = !part.includes('*') && inAll(` ${part} `)
    return isWord ? { kind: 'pattern', text: `* ${part} *` } : null
  }
  const words = group[0] ? leading(group[0], shared).map(({ text }) => text) : []
  const pieces = words.filter(inAll)
  const longest = pieces.toSorted((a, b) => b.length - a.length)[0]
  if (longest === undefined || longest.includes('*') || longest.length < 3) return null
  return { kind: 'contains', text: longest }
}

/** Returns the part of a text with these words, and the same part with the word before it. */
function spanOf({ text }: Parsed, words: readonly Word[]): { part: string; before: string } {
  const [from, to] = [words[0]?.at ?? 0, words.at(-1)?.end ?? 0]
  const part = text.slice(from, to)
  const [before = ''] = text.slice(0, from).match(/\p{L}[\p{L}.]*[^\p{L}\d]*$/u) ?? []
  return { part, before: `${before}${part}` }
}
