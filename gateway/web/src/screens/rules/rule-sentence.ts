import type { Actions, Conditions, Rule } from '../../api/rule-queries.ts'
import type { Manner } from '../../format/currency.ts'
import { rulePhrases as phrases, ruleWords as words } from '../../words/rules.ts'
import { transactionWords } from '../../words/transactions.ts'

/** Names of the objects that a rule refers to, and formats of its amounts. */
export interface Names {
  envelope: (spendingId: string) => string
  account: (bankAccountId: string) => string
  manner: (bankAccountId: string | undefined) => Manner
  /** Formats an amount, or hides it if the user has chosen so. */
  money: (amount: number, manner: Manner) => string
}

/** Formats the conditions of a rule: `Name contains “LIDL” and money out`. */
export function conditionsText(conditions: Conditions, names: Names): string {
  const { originalName, originalMerchantName, direction, bankAccountId } = conditions
  const { source, isPending, dayFrom, dayTo } = conditions
  const parts = [
    originalName && phrases.name({ kind: words.kinds[originalName.kind], text: originalName.text }),
    originalMerchantName &&
      phrases.merchant({
        kind: words.kinds[originalMerchantName.kind],
        text: originalMerchantName.text,
      }),
    amountText(conditions, (amount) => names.money(amount, names.manner(bankAccountId))),
    direction && phrases.directions[direction],
    bankAccountId && phrases.account({ name: names.account(bankAccountId) }),
    source && phrases.source({ name: transactionWords.sources[source] }),
    isPending !== undefined && (isPending ? phrases.pending : phrases.posted),
    (dayFrom ?? dayTo) !== undefined && phrases.days(dayFrom ?? 1, dayTo ?? 31),
  ]
  const text = parts.filter(Boolean).join(phrases.and)
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`
}

/** Formats the actions of a rule: `name “Lidl”, envelope Groceries, tag food`. */
export function actionsText(actions: Actions, names: Names): string {
  const { name, merchantName, notes, tags = [], spendingId, refundSpendingId } = actions
  const parts = [
    name && phrases.setName({ text: name }),
    merchantName && phrases.setMerchant({ text: merchantName }),
    spendingId && phrases.setEnvelope({ name: names.envelope(spendingId) }),
    refundSpendingId && phrases.setRefund({ name: names.envelope(refundSpendingId) }),
    tags.length > 0 && phrases.setTags(tags),
    notes && phrases.setNote({ text: notes }),
  ]
  return parts.filter(Boolean).join(', ')
}

/** Returns label and text of a field of a rule, as the form shows it. */
export function fieldText(field: string, rule: Rule, names: Names): [label: string, text: string] {
  if (field === 'conditions') return [words.conditions, conditionsText(rule.conditions, names)]
  if (field === 'actions') return [words.actions, actionsText(rule.actions, names)]
  return [words.name, rule.name]
}

function amountText(
  { amountFrom, amountTo }: Conditions,
  written: (amount: number) => string,
): string | null {
  const from = written(amountFrom ?? 0)
  if (amountTo === undefined)
    return amountFrom === undefined ? null : phrases.from({ amount: from })
  const to = written(amountTo)
  if (amountFrom === undefined) return phrases.to({ amount: to })
  return amountFrom === amountTo ? phrases.exactly({ amount: to }) : phrases.between({ from, to })
}
