import { type ChangeEvent, useState } from 'react'
import { AmountField } from '../../controls/amounts/amount-field.tsx'
import { ChoiceField, TextField } from '../../controls/field.tsx'
import { ruleWords as words } from '../../words/rules.ts'
import { transactionWords } from '../../words/transactions.ts'
import type { PartProps } from './names.ts'
import type { Entries } from './rule-entries.ts'
import styles from './rules.module.css'

const kinds = Object.entries(words.kinds).map(([value, text]) => ({ value, text }))
const { manual: _, ...imported } = transactionWords.sources

/** The conditions of a rule: texts of the bank first, the others behind a button. */
export function ConditionFields(props: PartProps) {
  const { entries } = props
  const { amountFrom, amountTo, direction, bankAccountId } = entries
  const more = [amountFrom, amountTo, direction, bankAccountId]
  const others = [entries.source, entries.state, entries.dayFrom, entries.dayTo]
  // State, so that clearing a field does not collapse this section.
  const [isOpen] = useState([...more, ...others].some((one) => one !== ''))
  return (
    <fieldset className={styles.part}>
      <legend>{words.conditions}</legend>
      <TextCondition {...props} field="originalName" kind="originalKind" />
      <TextCondition {...props} field="originalMerchantName" kind="merchantKind" />
      <p className={styles.hint}>{words.patternHint}</p>
      <details open={isOpen}>
        <summary>{words.moreConditions}</summary>
        <div className={styles.fields}>
          <Ranges {...props} />
          <Choices {...props} />
        </div>
      </details>
    </fieldset>
  )
}

interface TextProps extends PartProps {
  field: 'originalName' | 'originalMerchantName'
  kind: 'originalKind' | 'merchantKind'
}

function TextCondition({ entries, problems, change, field, kind }: TextProps) {
  const label = words[field]
  return (
    <div className={styles.pair}>
      <ChoiceField
        label={label}
        value={entries[kind]}
        options={kinds}
        onChange={(value) => change({ [kind]: value })}
      />
      <TextField
        label={words.text}
        aria-label={words.textOf({ label })}
        autoComplete="off"
        maxLength={300}
        value={entries[field]}
        onChange={({ target }) => change({ [field]: target.value })}
        fault={problems[field]}
      />
    </div>
  )
}

function Ranges({ entries, problems, known, change }: PartProps) {
  const manner = known.manner(entries.bankAccountId)
  const propsOf = (field: 'amountFrom' | 'amountTo' | 'dayFrom' | 'dayTo') => ({
    label: words[field],
    hint: '',
    value: entries[field],
    onChange: ({ target }: ChangeEvent<HTMLInputElement>) => change({ [field]: target.value }),
    fault: problems[field],
  })
  return (
    <div className={styles.grid}>
      {(['amountFrom', 'amountTo'] as const).map((field) => (
        <AmountField key={field} manner={manner} {...propsOf(field)} />
      ))}
      {(['dayFrom', 'dayTo'] as const).map((field) => (
        <TextField key={field} inputMode="numeric" autoComplete="off" {...propsOf(field)} />
      ))}
    </div>
  )
}

function Choices({ entries, known, change }: PartProps) {
  const choice = (field: keyof Entries, label: string, options: [string, string][]) => (
    <ChoiceField
      label={label}
      value={String(entries[field])}
      options={options.map(([value, text]) => ({ value, text }))}
      onChange={(value) => change({ [field]: value })}
    />
  )
  const accounts = known.accounts.map(({ value, text }): [string, string] => [value, text])
  const { bankAccountId } = entries
  const isGone = bankAccountId !== '' && !accounts.some(([value]) => value === bankAccountId)
  return (
    <div className={styles.grid}>
      {choice('direction', words.direction, Object.entries(words.directions))}
      {choice('bankAccountId', words.bankAccount, [
        ['', words.anyAccount],
        ...accounts,
        ...(isGone ? [[bankAccountId, words.unknown] as [string, string]] : []),
      ])}
      {choice('source', words.source, [['', words.anySource], ...Object.entries(imported)])}
      {choice('state', words.state, Object.entries(words.states))}
    </div>
  )
}
