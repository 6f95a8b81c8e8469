import { isDeepStrictEqual } from 'node:util'
import type { RuleActions } from '@coffer/proto/ledger/v1/rule'
import { type MarkedField, sourceOf } from '../book/field-marks.ts'
import type { Transaction } from '../book/transaction.ts'
import type { CompiledRule } from './rule.ts'
import { joinActions } from './rule-effects.ts'

/** A field for which a matching rule has an action: it would change, or is kept for a reason. */
export interface PreviewedField {
  field: MarkedField
  isChanged: boolean
  from: string | null
  to: string
  /** The difference, or the reason, as a text for the user. */
  text: string
  /** The reason why the field is kept; null if it changes. */
  reason: KeptReason | null
}

type KeptReason = 'setByUser' | 'earlierRule' | 'envelopeAway'

const reasons: Record<KeptReason, string> = {
  setByUser: 'its user has set it',
  earlierRule: 'an earlier rule decides',
  envelopeAway: 'not one of this bank account, or closed',
}

const labels: Record<MarkedField, string> = {
  name: 'Name',
  merchantName: 'Merchant',
  notes: 'Note',
  tags: 'Tags',
  spendingId: 'Envelope',
}

/**
 * Returns the effects of the chosen matching rules on a stored transaction. A field that an earlier
 * rule decides is kept if that rule is not chosen.
 */
export function previewRules(
  matching: readonly CompiledRule[],
  transaction: Transaction,
  of: Parameters<typeof previewRow>[2],
): PreviewedField[] {
  const decided = findDecided(matching, transaction).map(({ field, value }): PreviewedField => {
    return keptField({ field, from: textOf(transaction[field]), to: value }, 'earlierRule')
  })
  return [...previewRow(joinActions(matching, transaction), transaction, of), ...decided]
}

/**
 * Returns the fields for which the chosen rules have a value that does not apply: an earlier
 * matching rule, which is not chosen, has a value too, and the first rule decides.
 */
export function findDecided(
  matching: readonly CompiledRule[],
  { amount }: Pick<Transaction, 'amount'>,
): { field: MarkedField; value: string }[] {
  const money = amount < 0n ? 'refundSpendingId' : 'spendingId'
  return (['name', 'merchantName', 'notes', money] as const).flatMap((key) => {
    const naming = matching.filter(({ actions }) => actions[key] !== undefined)
    const value = naming.find(({ isChosen }) => isChosen)?.actions[key]
    if (value === undefined || naming[0]?.isChosen) return []
    return { field: key === 'refundSpendingId' ? 'spendingId' : key, value }
  })
}

/**
 * Returns the effects of the actions of one rule on a stored transaction; empty if it has all their
 * values. `ownerOf` returns the bank account of an open envelope.
 */
export function previewRow(
  actions: RuleActions,
  transaction: Transaction,
  of: { isRenamed: boolean; ownerOf: (spendingId: string) => string | null },
): PreviewedField[] {
  const { amount, bankAccountId } = transaction
  const { name, merchantName, notes, tags } = actions
  const spendingId = amount < 0n ? actions.refundSpendingId : actions.spendingId
  const wanted: [MarkedField, string | string[] | undefined][] = [
    ['name', name],
    ['merchantName', merchantName],
    ['notes', notes],
    ['tags', tags.length > 0 ? tags : undefined],
    ['spendingId', spendingId],
  ]
  return wanted.flatMap(([field, value]): PreviewedField[] => {
    if (value === undefined || isDeepStrictEqual(value, transaction[field])) return []
    const from = textOf(transaction[field])
    const shown = { field, from, to: textOf(value) ?? '' }
    const isUsers = sourceOf(transaction, field, of.isRenamed).by === 'user'
    const isAway = field === 'spendingId' && of.ownerOf(String(value)) !== bankAccountId
    if (isUsers || isAway) return [keptField(shown, isUsers ? 'setByUser' : 'envelopeAway')]
    return [{ ...shown, isChanged: true, text: differenceOf(shown), reason: null }]
  })
}

type Difference = Pick<PreviewedField, 'field' | 'from' | 'to'>

function keptField(shown: Difference, reason: KeptReason): PreviewedField {
  const text = `${labels[shown.field]} stays: ${reasons[reason]}`
  return { ...shown, isChanged: false, text, reason }
}

function textOf(value: string | string[] | null): string | null {
  return Array.isArray(value) ? value.join(', ') : value
}

function differenceOf({ field, from, to }: Difference): string {
  if (field === 'spendingId') return from === null ? 'Goes into the envelope' : 'Changes envelopes'
  const becomes = field === 'tags' ? 'become' : 'becomes'
  const present = from ? ` “${from}”` : ''
  return `${labels[field]}${present} ${becomes} “${to}”`
}
