import { Plus } from 'lucide-react'
import { useState } from 'react'
import { useChange } from '../../api/changes.ts'
import { coffer } from '../../api/client.ts'
import { amountHint } from '../../controls/amounts/amount-fault.ts'
import { AmountField } from '../../controls/amounts/amount-field.tsx'
import { Button } from '../../controls/button.tsx'
import { DayField } from '../../controls/days/day-field.tsx'
import { CheckField, ChoiceField, TextField } from '../../controls/field.tsx'
import { Form } from '../../controls/form.tsx'
import { Card } from '../../controls/screen.tsx'
import { amountText, parseAmount } from '../../format/amount-input.ts'
import { instantOf } from '../../format/days.ts'
import type { Rest } from '../../format/debts.ts'
import { type Repeat, rulesetOf } from '../../format/recurrence.ts'
import { useManner, useReader, useRest } from '../../shell/chosen-account.ts'
import { envelopeWords } from '../../words/envelopes.ts'
import { startWords as words } from '../../words/start.ts'
import styles from './start.module.css'
import { firstOfNextMonth, type Suggestion } from './suggestions.ts'

interface Props {
  bankAccountId: string
  fundingScheduleId: string
  /**
   * Whether the account has no envelope yet. Examples are then proposed if there are no
   * suggestions.
   */
  isFirst: boolean
  suggestions: Suggestion[]
  onDone: () => void
}

/** A proposed envelope with the changes of the user. */
interface Row {
  id: number
  isChosen: boolean
  name: string
  target: string
  repeat: Repeat
  day: string
  isBill: boolean
  /** Whether the user has added the row. */
  isAdded: boolean
}

/** Index of the example that is no bill: groceries, paid in parts over the month. */
const shopping = 1

/** Days after the due date of a bill in which its money waits for a late payment. */
const graceDays = 5

/** The proposed envelopes: the user selects, changes or leaves out each. */
export function EnvelopeChoice({ bankAccountId, fundingScheduleId, ...props }: Props) {
  const { isFirst, suggestions, onDone } = props
  const { timezone, today } = useReader()
  const manner = useManner(bankAccountId)
  const rest = useRest(bankAccountId)
  const blank = blankRow(today)
  // Null until the user changes a row: suggestions that load later still replace the rows.
  const [changed, setChanged] = useState<Proposed | null>(null)
  const proposed = changed ?? proposedRows({ isFirst, suggestions }, { today, manner })
  const { rows, title, text } = proposed
  const setRows = (next: (all: Row[]) => Row[]) =>
    setChanged((now) => ({ ...(now ?? proposed), rows: next((now ?? proposed).rows) }))
  const change = (id: number, next: Partial<Row>) =>
    setRows((all) => all.map((row) => (row.id === id ? { ...row, ...next } : row)))
  const amountOf = ({ target }: Row) => parseAmount(target, manner) ?? 0
  const isWhole = (row: Row) => row.name.trim() !== '' && amountOf(row) > 0
  // An unchanged example without an amount is skipped; an added row must be complete or deselected.
  const wanted = rows.filter((row) => row.isChosen && (isWhole(row) || row.isAdded))
  const [isRefused, setRefused] = useState(false)
  const { send, isSending, fault } = useChange(async (chosen: Row[]) => {
    for (const row of chosen) {
      const plan = { ...planOf(row, timezone), fundingScheduleId, targetAmount: amountOf(row) }
      await coffer.createSpending({ path: { bankAccountId }, body: plan })
      // Deselected, so that a retry after a later failure does not create it again.
      change(row.id, { isChosen: false })
    }
  })
  const submit = () => {
    const isPartial = !wanted.every(isWhole)
    setRefused(isPartial)
    if (isPartial) return
    if (wanted.length === 0) onDone()
    else send(wanted, onDone)
  }
  return (
    <Card title={title}>
      <p>{rows.length > 0 ? `${text} ${amountHint(manner)}` : text}</p>
      <Form
        action={words.createThem({ count: wanted.length, isFirst })}
        isSending={isSending}
        fault={fault}
        onSubmit={submit}
        others={
          <Button
            onClick={() => setRows((all) => [...all, { ...blank, id: all.length, isAdded: true }])}
          >
            <Plus size={18} aria-hidden />
            {words.another}
          </Button>
        }
      >
        <ul className={styles.rows}>
          {rows.map((row) => (
            <EnvelopeRow
              manner={manner}
              rest={rest}
              key={row.id}
              row={row}
              change={(next) => change(row.id, next)}
              isRefused={isRefused && row.isAdded}
              hasAmount={amountOf(row) > 0}
            />
          ))}
        </ul>
      </Form>
    </Card>
  )
}

interface Proposed {
  title: string
  text: string
  rows: Row[]
}

/** Returns a row per suggestion; without suggestions, the first envelopes are examples. */
function proposedRows(
  { isFirst, suggestions }: Pick<Props, 'isFirst' | 'suggestions'>,
  { today, manner }: { today: string; manner: ReturnType<typeof useManner> },
): Proposed {
  const blank = blankRow(today)
  const rows = suggestions.map((one, id) => ({
    ...blank,
    ...one,
    id,
    target: amountText(one.target, manner),
  }))
  const isNone = rows.length === 0
  if (!isFirst) {
    return { title: words.further, text: isNone ? words.furtherNone : words.furtherText, rows }
  }
  const examples = words.examples.map((name, id) => ({
    ...blank,
    id,
    name,
    isBill: id !== shopping,
  }))
  return {
    title: words.envelopes,
    text: isNone ? words.envelopesNone : words.envelopesText,
    rows: isNone ? examples : rows,
  }
}

/** Returns an empty row, due on the first of the next month. */
function blankRow(today: string): Row {
  return {
    id: 0,
    isChosen: true,
    name: '',
    target: '',
    repeat: 'monthly',
    day: firstOfNextMonth(today),
    isBill: true,
    isAdded: false,
  }
}

/**
 * Returns the request body for a row. Bills get days of grace, in which their money waits for a
 * late payment. Groceries carry over what is left, and have no late bill.
 */
function planOf({ name, repeat, day, isBill }: Row, timezone: string) {
  const start = instantOf(day, timezone)
  return {
    name: name.trim(),
    spendingType: 'expense' as const,
    ruleset: rulesetOf(repeat, { day, start }),
    nextRecurrence: start,
    graceDays: isBill ? graceDays : 0,
    carryOver: !isBill,
    settlesWhenSpent: isBill,
  }
}

interface RowProps {
  row: Row
  manner: ReturnType<typeof useManner>
  rest: Rest
  change: (next: Partial<Row>) => void
  /** Whether to show the errors of the row. */
  isRefused: boolean
  hasAmount: boolean
}

function EnvelopeRow({ row, manner, rest, change, isRefused, hasAmount }: RowProps) {
  const { isChosen, name, target, repeat, day, isBill } = row
  const reader = useReader()
  return (
    <li className={styles.row}>
      <CheckField
        label={name.trim() || words.unnamed}
        checked={isChosen}
        onChange={(event) => change({ isChosen: event.target.checked })}
      />
      {isChosen && (
        <div className={styles.fields}>
          <TextField
            label={envelopeWords.name}
            value={name}
            fault={isRefused && name.trim() === '' ? words.required : null}
            onChange={(event) => change({ name: event.target.value })}
          />
          <AmountField
            label={envelopeWords.target}
            hint=""
            manner={manner}
            value={target}
            fault={isRefused && !hasAmount ? words.required : null}
            onChange={(event) => change({ target: event.target.value })}
          />
          <ChoiceField
            label={envelopeWords.repeats}
            value={repeat}
            options={Object.entries(envelopeWords.repeatsEvery)
              .filter(([value]) => value !== 'kept')
              .map(([value, text]) => ({ value, text }))}
            onChange={(value) => change({ repeat: value as Repeat })}
          />
          <DayField
            label={envelopeWords.day}
            reading={{ ...reader, isAhead: true }}
            value={day}
            onChange={(next) => change({ day: next || day })}
          />
          <p className={styles.unspent}>{words.unspent({ isBill, rest, days: graceDays })}</p>
        </div>
      )}
    </li>
  )
}
