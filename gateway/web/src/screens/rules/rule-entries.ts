import type { Transaction } from '../../api/budget-queries.ts'
import type { Actions, Conditions, Draft, Rule } from '../../api/rule-queries.ts'
import { amountText, parseAmount } from '../../format/amount-input.ts'
import type { Manner } from '../../format/currency.ts'
import { formatAmount } from '../../format/money.ts'
import { ruleWords as words } from '../../words/rules.ts'

type Kind = NonNullable<Conditions['originalName']>['kind']

/** Values of the form as they are typed; empty ones are not part of the rule. */
export interface Entries {
  name: string
  originalKind: Kind
  originalName: string
  merchantKind: Kind
  originalMerchantName: string
  amountFrom: string
  amountTo: string
  direction: NonNullable<Conditions['direction']> | ''
  bankAccountId: string
  source: NonNullable<Conditions['source']> | ''
  state: 'true' | 'false' | ''
  dayFrom: string
  dayTo: string
  toName: string
  merchantName: string
  notes: string
  tags: string[]
  spendingId: string
  refundSpendingId: string
}

/** Returns the form values of a rule, or of a new one. */
export function entriesOf(
  rule: Pick<Rule, 'name' | 'conditions' | 'actions'> | null,
  manner: Manner,
): Entries {
  const { name = '', conditions = {}, actions = {} } = rule ?? {}
  const { originalName, originalMerchantName, amountFrom, amountTo, isPending } = conditions
  const typed = (amount?: number) => (amount === undefined ? '' : amountText(amount, manner))
  return {
    name,
    originalKind: originalName?.kind ?? 'contains',
    originalName: originalName?.text ?? '',
    merchantKind: originalMerchantName?.kind ?? 'contains',
    originalMerchantName: originalMerchantName?.text ?? '',
    amountFrom: typed(amountFrom),
    amountTo: typed(amountTo),
    direction: conditions.direction ?? '',
    bankAccountId: conditions.bankAccountId ?? '',
    source: conditions.source ?? '',
    state: isPending === undefined ? '' : isPending ? 'true' : 'false',
    dayFrom: String(conditions.dayFrom ?? ''),
    dayTo: String(conditions.dayTo ?? ''),
    toName: actions.name ?? '',
    merchantName: actions.merchantName ?? '',
    notes: actions.notes ?? '',
    tags: actions.tags ?? [],
    spendingId: actions.spendingId ?? '',
    refundSpendingId: actions.refundSpendingId ?? '',
  }
}

/**
 * Returns form values of a rule for transactions similar to the given one; `cluster` is the name of
 * their cluster. The condition is on the merchant if it is known and not just the bank's text,
 * because it identifies similar transactions better.
 */
export function entriesLike(
  transaction: Transaction,
  cluster: string | null,
  manner: Manner,
): Entries {
  const { originalName, tags = [], notes, spendingId, refundSpendingId } = transaction
  const { originalMerchantName: merchant = '', name = originalName } = transaction
  const isOfMerchant = merchant.trim() !== '' && merchant !== originalName
  const condition = isOfMerchant
    ? { originalMerchantName: wordsOf(merchant, cluster) }
    : { originalName: wordsOf(originalName, cluster) }
  return {
    ...entriesOf(null, manner),
    ...condition,
    toName: name === originalName || name === merchant ? '' : name,
    notes: notes ?? '',
    tags,
    spendingId: spendingId ?? '',
    refundSpendingId: refundSpendingId ?? '',
  }
}

/**
 * Returns the part of a bank's text that similar transactions contain: the name of the cluster if
 * it occurs in the text, else the first words without digits, else the whole text.
 */
export function wordsOf(text: string, cluster: string | null): string {
  if (cluster && text.toLowerCase().includes(cluster.toLowerCase())) return cluster
  const parts = text.split(/\s*\S*\d\S*\s*/u)
  const bare = parts.map((one) => one.replaceAll(/^[^\p{L}]+|[^\p{L}]+$/gu, ''))
  return bare.find((one) => one.length > 2) ?? text
}

/** Returns conditions and actions; entries that cannot be parsed are left out. */
export function draftOf(entries: Entries, manner: Manner): Draft {
  const { originalKind, merchantKind, direction, source, state } = entries
  const text = (kind: Kind, typed: string) => (typed.trim() ? { kind, text: typed.trim() } : null)
  const conditions: Record<keyof Conditions, unknown> = {
    originalName: text(originalKind, entries.originalName),
    originalMerchantName: text(merchantKind, entries.originalMerchantName),
    amountFrom: parseAmount(entries.amountFrom, manner),
    amountTo: parseAmount(entries.amountTo, manner),
    direction,
    bankAccountId: entries.bankAccountId,
    source,
    isPending: state === '' ? null : state === 'true',
    dayFrom: dayOf(entries.dayFrom),
    dayTo: dayOf(entries.dayTo),
  }
  const actions: Record<keyof Actions, unknown> = {
    name: entries.toName.trim(),
    merchantName: entries.merchantName.trim(),
    notes: entries.notes.trim(),
    tags: entries.tags.length > 0 ? entries.tags : null,
    spendingId: direction === 'in' ? null : entries.spendingId,
    refundSpendingId: direction === 'out' ? null : entries.refundSpendingId,
  }
  return { conditions: stated(conditions), actions: stated(actions) }
}

/** Returns validation errors by field of the form. */
export function faultsOf(entries: Entries, manner: Manner): Record<string, string> {
  const { conditions, actions } = draftOf(entries, manner)
  const { amountFrom, amountTo } = conditions
  const amountFault = (typed: string, amount?: number) =>
    typed.trim() !== '' && (amount ?? -1) < 0
      ? words.amountFault({ example: formatAmount(1_250, manner) })
      : ''
  const dayFault = (typed: string) => (typed !== '' && dayOf(typed) === null ? words.dayFault : '')
  const isTurned = amountTo !== undefined && amountTo < (amountFrom ?? 0)
  const isEmpty = Object.keys(conditions).length === 0
  const faults = {
    originalName: isEmpty ? words.conditionFault : '',
    amountFrom: amountFault(entries.amountFrom, amountFrom),
    amountTo: amountFault(entries.amountTo, amountTo) || (isTurned ? words.rangeFault : ''),
    dayFrom: dayFault(entries.dayFrom),
    dayTo: dayFault(entries.dayTo),
    toName: Object.keys(actions).length === 0 ? words.actionFault : '',
  }
  return Object.fromEntries(Object.entries(faults).filter(([, text]) => text !== ''))
}

function dayOf(typed: string): number | null {
  return /^([1-9]|[12]\d|3[01])$/.test(typed.trim()) ? Number(typed) : null
}

/** Returns the entries with a value. */
function stated<Values>(values: Record<string, unknown>): Values {
  const entries = Object.entries(values).filter(([, one]) => one !== null && one !== '')
  return Object.fromEntries(entries) as Values
}
