import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type Spending, schedulesQuery } from '../../api/budget-queries.ts'
import { AmountField } from '../../controls/amounts/amount-field.tsx'
import { DayField } from '../../controls/days/day-field.tsx'
import { Dialog } from '../../controls/dialog.tsx'
import { CheckField, ChoiceField, TextField } from '../../controls/field.tsx'
import { Form } from '../../controls/form.tsx'
import { useSaving } from '../../controls/saving/saving.tsx'
import { amountText } from '../../format/amount-input.ts'
import { dayAfter, dayOf, formatDay } from '../../format/days.ts'
import { repeatOf } from '../../format/recurrence.ts'
import { useIsManual, useManner, useReader } from '../../shell/chosen-account.ts'
import { envelopeWords as words } from '../../words/envelopes.ts'
import { type Entries, faultsOf, type Kind, neededOn } from './envelope-entries.ts'
import { useFieldText } from './field-text.ts'
import { Preview } from './preview.tsx'
import { saveEnvelope } from './save-envelope.ts'

/** Default for bills, because banks post a payment some days after its due date. */
const graceDaysDefault = 5

interface Props {
  bankAccountId: string
  /** The envelope to change; undefined to create one. */
  spending?: Spending
  /** Due date of its explanation. */
  due?: string | null | undefined
  onClose: () => void
}

/** Creates or changes an envelope, with a preview of its next contribution. */
export function EnvelopeForm({ bankAccountId, spending, due, onClose }: Props) {
  const reader = useReader()
  const manner = useManner(bankAccountId)
  const [entries, setEntries] = useState(() => entriesOf(spending, { reader, manner, due }))
  const [faults, setFaults] = useState<Record<string, string>>({})
  const { send, fault, form } = useSaving({
    subject: spending,
    action: words.save,
    save: (wanted: Entries, states) =>
      saveEnvelope(wanted, { bankAccountId, ...states, due, manner, timezone: reader.timezone }),
    sayField: useFieldText(bankAccountId),
    take: (present) => setEntries(entriesOf(present, { reader, manner, due })),
  })
  const change = (next: Partial<Entries>) => setEntries((now) => ({ ...now, ...next }))
  const submit = () => {
    const found = faultsOf(entries, manner)
    setFaults(found)
    if (Object.keys(found).length === 0) send(entries, onClose)
  }
  const problems = { ...fault?.problems, ...faults }
  return (
    <Dialog
      title={spending ? words.editTitle({ name: spending.name }) : words.create}
      isOpen
      onClose={onClose}
    >
      <Form {...form} problems={faults} onSubmit={submit} onCancel={onClose}>
        {!spending && <KindField value={entries.kind} onChange={(kind) => change({ kind })} />}
        <Fields
          bankAccountId={bankAccountId}
          entries={entries}
          paid={spending?.settledAt ? spending.nextRecurrence : null}
          problems={problems}
          change={change}
        />
        {spending && (
          <CheckField
            label={words.pause}
            checked={entries.isPaused}
            onChange={(event) => change({ isPaused: event.target.checked })}
          />
        )}
        <Preview
          bankAccountId={bankAccountId}
          entries={entries}
          spendingId={spending?.spendingId ?? null}
        />
      </Form>
    </Dialog>
  )
}

function KindField({ value, onChange }: { value: Kind; onChange: (kind: Kind) => void }) {
  return (
    <ChoiceField
      label={words.kind}
      value={value}
      options={[
        { value: 'expense', text: words.expense },
        { value: 'goal', text: words.goal },
      ]}
      onChange={(kind) => onChange(kind as Kind)}
    />
  )
}

interface FieldsProps {
  bankAccountId: string
  entries: Entries
  /** Due date of the bill that is paid before it. */
  paid: string | null
  problems: Record<string, string>
  change: (next: Partial<Entries>) => void
}

function Fields({ bankAccountId, entries, paid, problems, change }: FieldsProps) {
  const { data: schedules = [] } = useQuery(schedulesQuery(bankAccountId))
  const reader = useReader()
  const manner = useManner(bankAccountId)
  const isManual = useIsManual(bankAccountId)
  const { name, target, day, repeat, kind } = entries
  const first = schedules[0]?.fundingScheduleId ?? ''
  if (entries.fundingScheduleId === '' && first !== '') change({ fundingScheduleId: first })
  return (
    <>
      <TextField
        label={words.name}
        value={name}
        onChange={(event) => change({ name: event.target.value })}
        fault={problems.name}
      />
      <AmountField
        label={words.target}
        manner={manner}
        value={target}
        onChange={(event) => change({ target: event.target.value })}
        fault={problems.targetAmount}
      />
      <DayField
        label={words.day}
        hint={paid && words.billPaid({ day: formatDay(dayOf(paid, reader.timezone), reader) })}
        reading={{ ...reader, isAhead: true }}
        value={day}
        onChange={(next) => change({ day: next })}
        fault={problems.nextRecurrence}
      />
      {kind === 'expense' && (
        <ChoiceField
          label={words.repeats}
          value={repeat}
          options={Object.entries(words.repeatsEvery)
            .filter(([value]) => value !== 'kept' || entries.ruleset !== null)
            .map(([value, text]) => ({ value, text }))}
          onChange={(value) => change({ repeat: value as Entries['repeat'] })}
          fault={problems.ruleset}
        />
      )}
      <ChoiceField
        label={words.schedule}
        value={entries.fundingScheduleId}
        options={schedules.map((one) => ({ value: one.fundingScheduleId, text: one.name }))}
        onChange={(fundingScheduleId) => change({ fundingScheduleId })}
        fault={problems.fundingScheduleId}
      />
      {kind === 'expense' && <BillFields entries={entries} change={change} />}
      {kind === 'expense' && isManual && (
        <CheckField
          label={words.automatic}
          checked={entries.autoCreateTransaction}
          onChange={(event) => change({ autoCreateTransaction: event.target.checked })}
        />
      )}
    </>
  )
}

/** Settings for bills that are paid before or after their due date (docs/plans/bills.md). */
function BillFields({ entries, change }: Pick<FieldsProps, 'entries' | 'change'>) {
  const { graceDays, settlesWhenSpent, carryOver } = entries
  const days = [...new Set([0, 3, graceDaysDefault, 7, 14, graceDays])].sort((a, b) => a - b)
  return (
    <>
      <CheckField
        label={words.carryOver}
        checked={carryOver}
        onChange={({ target: { checked } }) =>
          change({
            carryOver: checked,
            graceDays: checked ? 0 : graceDaysDefault,
            settlesWhenSpent: !checked,
          })
        }
      />
      {!carryOver && (
        <CheckField
          label={words.settles}
          checked={settlesWhenSpent}
          onChange={(event) => change({ settlesWhenSpent: event.target.checked })}
        />
      )}
      {!carryOver && (
        <ChoiceField
          label={words.graceDays}
          value={String(graceDays)}
          options={days.map((one) => ({ value: String(one), text: words.days({ count: one }) }))}
          onChange={(value) => change({ graceDays: Number(value) })}
        />
      )}
    </>
  )
}

/** Initial values of the form; the due date of a new envelope is a month from now. */
function entriesOf(
  spending: Spending | undefined,
  {
    reader,
    manner,
    due,
  }: {
    reader: ReturnType<typeof useReader>
    manner: ReturnType<typeof useManner>
    due: Props['due']
  },
): Entries {
  const { name = '', fundingScheduleId = '', isPaused = false, ruleset = null } = spending ?? {}
  const isPlain = ruleset === null || repeatOf(ruleset) !== null
  return {
    kind: spending?.spendingType ?? 'expense',
    name,
    target: spending ? amountText(spending.targetAmount, manner) : '',
    day: spending ? dayOf(neededOn(spending, due), reader.timezone) : dayAfter(reader.today, 30),
    repeat: isPlain ? (repeatOf(ruleset ?? '') ?? 'monthly') : 'kept',
    ruleset,
    fundingScheduleId,
    isPaused,
    graceDays: spending?.graceDays ?? graceDaysDefault,
    settlesWhenSpent: spending?.settlesWhenSpent ?? true,
    carryOver: spending?.carryOver ?? false,
    autoCreateTransaction: spending?.autoCreateTransaction ?? false,
  }
}
