import { useState } from 'react'
import { ChoiceField, LinesField, TextField } from '../../controls/field.tsx'
import { TagField } from '../../controls/tag-field.tsx'
import { ruleWords as words } from '../../words/rules.ts'
import type { PartProps } from './names.ts'
import styles from './rules.module.css'

/** The fields that a rule sets: name, envelope and tags first, the others behind a button. */
export function ActionFields(props: PartProps) {
  const { entries, problems, change } = props
  const { merchantName, notes, refundSpendingId, direction } = entries
  const isIncome = direction === 'in'
  const [isOpen] = useState([merchantName, notes, refundSpendingId].some((one) => one !== ''))
  return (
    <fieldset className={styles.part}>
      <legend>{words.actions}</legend>
      <TextField
        label={words.toName}
        autoComplete="off"
        maxLength={300}
        value={entries.toName}
        onChange={({ target }) => change({ toName: target.value })}
        fault={problems.toName}
      />
      <EnvelopeField {...props} field={isIncome ? 'refundSpendingId' : 'spendingId'} />
      <TagField tags={entries.tags} onChange={(tags) => change({ tags })} />
      <details open={isOpen}>
        <summary>{words.moreActions}</summary>
        <div className={styles.fields}>
          {direction === '' && <EnvelopeField {...props} field="refundSpendingId" />}
          <TextField
            label={words.merchant}
            autoComplete="off"
            maxLength={300}
            value={merchantName}
            onChange={({ target }) => change({ merchantName: target.value })}
          />
          <LinesField
            label={words.note}
            rows={3}
            maxLength={2000}
            value={notes}
            onChange={({ target }) => change({ notes: target.value })}
          />
        </div>
      </details>
    </fieldset>
  )
}

interface EnvelopeProps extends PartProps {
  field: 'spendingId' | 'refundSpendingId'
}

/**
 * Choice of an envelope of the bank account that the rule's conditions name; if they name none, of
 * any.
 */
function EnvelopeField({ entries, known, change, field }: EnvelopeProps) {
  const { bankAccountId } = entries
  const value = entries[field]
  const fitting = known.envelopes.filter(
    (one) => bankAccountId === '' || one.bankAccountId === bankAccountId || one.value === value,
  )
  const isGone = value !== '' && !fitting.some((one) => one.value === value)
  return (
    <ChoiceField
      label={field === 'spendingId' ? words.envelope : words.refund}
      value={value}
      options={[
        { value: '', text: words.unchanged },
        ...fitting,
        ...(isGone ? [{ value, text: words.unknown }] : []),
      ]}
      onChange={(chosen) => change({ [field]: chosen })}
    />
  )
}
