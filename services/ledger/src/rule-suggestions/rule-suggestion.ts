import { createHash } from 'node:crypto'
import { create, type MessageInitShape } from '@bufbuild/protobuf'
import { foldText } from '@coffer/kit/values/fold'
import {
  type RuleActions,
  RuleActionsSchema,
  type RuleConditions,
  RuleConditionsSchema,
} from '@coffer/proto/ledger/v1/rule'
import { type MarkedField, markedFields, sourceOf } from '../book/field-marks.ts'
import type { Transaction } from '../book/transaction.ts'
import { type CompiledRule, textTest } from '../rules/rule.ts'
import { rowsMin, type TextGroup } from './text-groups.ts'

/** A transaction with the existing rules that match it, and with folded texts. */
export interface Examined {
  transaction: Transaction
  matching: readonly CompiledRule[]
  folds: Record<'originalName' | 'originalMerchantName', string>
  /** The fields that a user has set. */
  edited: ReadonlySet<MarkedField>
}

/** A suggested rule. */
export interface RuleSuggestion {
  ruleSuggestionId: string
  /**
   * IDs that the same suggestion has for other texts of the account. A dismissal under one of them
   * counts too, so it holds when new texts arrive.
   */
  otherIds: () => string[]
  name: string
  text: string
  conditions: RuleConditions
  actions: RuleActions
  matchedCount: number
  changedCount: number
  editedCount: number
  /** Transactions that the rule would change, and of which users have edited no field. */
  untouched: Transaction[]
}

/** Returns the fields of a transaction that a user has set. */
export function findEdited(transaction: Transaction, isRenamed: boolean): Set<MarkedField> {
  return new Set(
    markedFields.filter((field) => sourceOf(transaction, field, isRenamed).by === 'user'),
  )
}

type Candidate = TextGroup & {
  field: 'originalName' | 'originalMerchantName'
}

interface Known {
  accountId: string
  rows: readonly Examined[]
  /** Bank accounts of open envelopes, by envelope. */
  owners: ReadonlyMap<string, string>
}

/**
 * Returns the suggestions for a group of texts (docs/rules/suggestions.md): a rule for each bank
 * account in which users assigned an envelope, else one rule for all. Empty if users' edits
 * contradict each other, rules have the effect already, or the condition matches other texts, too.
 */
export function suggestRules(known: Known, candidate: Candidate): RuleSuggestion[] {
  const conditions = create(RuleConditionsSchema, { [candidate.field]: candidate.condition })
  const matched = matchedBy(candidate, known)
  if (matched.length < rowsMin) return []
  const texts = new Set(candidate.texts)
  const foreign = matched.filter(
    ({ transaction, matching }) =>
      !texts.has(transaction[candidate.field]) &&
      matching.every(({ actions }) => actions.name === undefined),
  )
  if (foreign.length > 0) return []
  const edits = readEdits(matched, known.owners)
  if (edits === null) return []
  const name = edits.name ?? (isNamed(matched, candidate.name) ? undefined : candidate.name)
  const texted = { name, merchantName: edits.merchantName, tags: edits.tags }
  const isRead = edits.name === undefined
  const of = { conditions, matched, isRead }
  if (edits.envelopes.size === 0) return describe(known, of, texted, candidate)
  return [...edits.envelopes].flatMap(([bankAccountId, envelope]) => {
    const narrowed = create(RuleConditionsSchema, { ...conditions, bankAccountId })
    const own = matched.filter(({ transaction }) => transaction.bankAccountId === bankAccountId)
    const narrow = { conditions: narrowed, matched: own, isRead }
    return describe(known, narrow, { ...texted, ...envelope }, candidate)
  })
}

/** Returns the transactions that match a condition, by their folded texts. */
function matchedBy({ field, condition }: Candidate, { rows }: Known): Examined[] {
  const isMatch = textTest(condition)
  return rows.filter(({ folds }) => isMatch(folds[field]))
}

function isNamed(matched: readonly Examined[], name: string): boolean {
  return matched.every(({ transaction }) => transaction.name === name)
}

type Envelope = Pick<MessageInitShape<typeof RuleActionsSchema>, 'spendingId' | 'refundSpendingId'>

interface Edits {
  name: string | undefined
  merchantName: string | undefined
  tags: string[]
  envelopes: Map<string, Envelope>
}

/** Returns the values that users have set; null if they differ between transactions. */
function readEdits(
  matched: readonly Examined[],
  owners: ReadonlyMap<string, string>,
): Edits | null {
  const editsOf = (field: MarkedField) => matched.filter(({ edited }) => edited.has(field))
  const names = new Set(editsOf('name').map(({ transaction: { name } }) => name))
  const merchants = new Set(editsOf('merchantName').map((one) => one.transaction.merchantName))
  if (names.size > 1 || merchants.size > 1) return null
  const envelopes = new Map<string, Envelope>()
  const assigned = Map.groupBy(editsOf('spendingId'), ({ transaction }) => {
    return `${transaction.bankAccountId} ${transaction.amount < 0n ? 'in' : 'out'}`
  })
  for (const rows of assigned.values()) {
    const ids = new Set(rows.map(({ transaction }) => transaction.spendingId))
    if (ids.size > 1) return null
    const { bankAccountId = '', amount = 0n, spendingId = null } = rows[0]?.transaction ?? {}
    if (spendingId === null || owners.get(spendingId) !== bankAccountId) continue
    const envelope = amount < 0n ? { refundSpendingId: spendingId } : { spendingId }
    envelopes.set(bankAccountId, { ...envelopes.get(bankAccountId), ...envelope })
  }
  const tagged = editsOf('tags').map(({ transaction: { tags } }) => tags ?? [])
  const tags = (tagged[0] ?? []).filter((tag) => {
    return tagged.every((some) => some.some((one) => foldText(one) === foldText(tag)))
  })
  const [name, merchantName] = [[...names][0] || undefined, [...merchants][0] || undefined]
  return { name, merchantName, tags, envelopes }
}

interface Proposed {
  name: string | undefined
  merchantName: string | undefined
  tags: string[]
  spendingId?: string | undefined
  refundSpendingId?: string | undefined
}

/** `isRead`: whether the name is derived from the bank's texts, because no user has set one. */
interface Narrowed {
  conditions: RuleConditions
  matched: readonly Examined[]
  isRead: boolean
}

/** Returns the suggestion with the actions that no rule has yet; empty without such an action. */
function describe(
  { accountId }: Known,
  { conditions, matched, isRead }: Narrowed,
  proposed: Proposed,
  candidate: Candidate,
): RuleSuggestion[] {
  const { name, condition, field, key, keys } = candidate
  if (matched.length < rowsMin) return []
  const wanted = Object.entries(proposed).filter(([, value]) => value !== undefined)
  const due = wanted.filter(([field, value]) => isDue(matched, field as keyof Proposed, value))
  const actions = create(RuleActionsSchema, Object.fromEntries(due))
  const fields = due.map(([field]) => field as keyof Proposed)
  if (fields.length === 0) return []
  const changed = matched.filter((row) => fields.some((one) => wouldChange(row, one, actions)))
  const edited = matched.filter((row) => row.edited.size > 0)
  const agreed = matched.filter(({ edited: own }) => fields.some((one) => own.has(markOf(one))))
  if (changed.length === 0 && agreed.length < rowsMin) return []
  const untouched = changed.filter((row) => row.edited.size === 0)
  const suggestion = {
    name: proposed.name ?? name,
    conditions,
    actions,
    matchedCount: matched.length,
    changedCount: changed.length,
    editedCount: edited.length,
    untouched: untouched.map(({ transaction }) => transaction),
  }
  const { bankAccountId } = conditions
  // The ID leaves out a name that is derived from the bank's texts: further texts may change it,
  // and the ID must stay the same, so that a dismissal of the suggestion holds.
  const isNameRead = isRead && isDue(matched, 'name', name)
  const asked = isNameRead ? { ...actions, name: undefined } : actions
  const identity = { accountId, field, bankAccountId, isNameRead, actions: asked }
  return [
    {
      ...suggestion,
      ruleSuggestionId: idOf({ ...identity, key }),
      otherIds: () => [...keys].map((one) => idOf({ ...identity, key: one })),
      text: sentenceOf(suggestion, condition.text),
    },
  ]
}

function markOf(field: keyof Proposed): MarkedField {
  return field === 'refundSpendingId' ? 'spendingId' : field
}

/** Returns whether there is a transaction for which no existing rule has this action. */
function isDue(matched: readonly Examined[], field: keyof Proposed, value: unknown): boolean {
  if (Array.isArray(value) && value.length === 0) return false
  return matched.some((row) => isFree(row, field, value))
}

function isFree(
  { transaction, matching }: Examined,
  field: keyof Proposed,
  value: unknown,
): boolean {
  if (field === 'spendingId' && transaction.amount < 0n) return false
  if (field === 'refundSpendingId' && transaction.amount >= 0n) return false
  if (field !== 'tags') return matching.every(({ actions }) => actions[field] === undefined)
  const set = new Set(matching.flatMap(({ actions }) => actions.tags).map(foldText))
  return (value as string[]).some((tag) => !set.has(foldText(tag)))
}

function wouldChange(row: Examined, field: keyof Proposed, actions: RuleActions): boolean {
  const value = actions[field]
  if (row.edited.has(markOf(field)) || !isFree(row, field, value)) return false
  if (field !== 'tags') return row.transaction[markOf(field)] !== value
  const own = new Set(row.transaction.tags?.map(foldText))
  return actions.tags.some((tag) => !own.has(foldText(tag)))
}

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

interface Identity {
  accountId: string
  field: Candidate['field']
  /** The shared words of the texts. */
  key: string
  bankAccountId: string | undefined
  isNameRead: boolean
  actions: Pick<RuleActions, 'merchantName' | 'tags' | 'spendingId' | 'refundSpendingId'> & {
    name?: string | undefined
  }
}

/** Deterministic ID: hash of the shared words and the actions, so that a dismissal stays valid. */
function idOf({ accountId, field, key, bankAccountId, isNameRead, actions }: Identity): string {
  const { name, merchantName, tags, spendingId, refundSpendingId } = actions
  const parts = [accountId, field, key, bankAccountId, isNameRead, name, merchantName, tags]
  const hash = createHash('sha256')
  hash.update(JSON.stringify([...parts, spendingId, refundSpendingId]))
  // IDs have the format of a ULID, whose first character is 0 to 7.
  const letters = [...hash.digest().subarray(0, 26)].map((byte, at) => {
    return alphabet[byte % (at === 0 ? 8 : 32)]
  })
  return `rsug_${letters.join('')}`
}

function sentenceOf(of: Pick<RuleSuggestion, 'actions' | 'matchedCount'>, text: string): string {
  const { name, merchantName, tags, spendingId, refundSpendingId } = of.actions
  const parts = [
    ...(name === undefined ? [] : [`the name “${name}”`]),
    ...(merchantName === undefined ? [] : [`the merchant “${merchantName}”`]),
    ...(spendingId || refundSpendingId ? ['the envelope'] : []),
    ...(tags.length === 0 ? [] : [`the tags “${tags.join(', ')}”`]),
  ]
  const list = new Intl.ListFormat('en', { type: 'conjunction' }).format(parts)
  const like = text.replace(/^\* | \*$/g, '')
  return `${of.matchedCount} transactions like “${like}”: ${list} for all?`
}
