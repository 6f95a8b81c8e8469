import { useState } from 'react'
import type { FundingSchedule } from '../../api/budget-queries.ts'
import { coffer } from '../../api/client.ts'
import { AmountField } from '../../controls/amounts/amount-field.tsx'
import { DayField } from '../../controls/days/day-field.tsx'
import { Dialog } from '../../controls/dialog.tsx'
import { CheckField, ChoiceField, TextField } from '../../controls/field.tsx'
import { Form } from '../../controls/form.tsx'
import { changesOf, type Saved, updateAsRead } from '../../controls/saving/as-read.ts'
import { type States, useSaving } from '../../controls/saving/saving.tsx'
import { useMoneyText } from '../../controls/texts/money-text.ts'
import { amountText, parseAmount } from '../../format/amount-input.ts'
import { dayAfter, dayOf, instantOf } from '../../format/days.ts'
import { formatAmount } from '../../format/money.ts'
import { useIsManual, useManner, useReader } from '../../shell/chosen-account.ts'
import { faultWords } from '../../words/faults.ts'
import { scheduleWords as words } from '../../words/schedules.ts'
import { NextDates } from './next-dates.tsx'
import {
  fittingDay,
  nextFriday,
  type Pace,
  type Proposal,
  paceOf,
  paydaysOf,
  ruleDayOf,
} from './schedule-pace.ts'

interface Props {
  bankAccountId: string
  /** The payday to change; undefined to create one. */
  schedule?: FundingSchedule
  onClose: () => void
}

interface Wanted {
  name: string
  excludeWeekends: boolean
  estimatedDeposit: number | null
  autoCreateTransaction: boolean
  /** Undefined leaves the rule unchanged. */
  ruleset?: string
}

/** Dialog that creates or changes a payday. */
export function ScheduleForm({ bankAccountId, schedule, onClose }: Props) {
  return (
    <Dialog
      title={schedule ? words.editTitle({ name: schedule.name }) : words.create}
      isOpen
      onClose={onClose}
    >
      <PaydayForm
        bankAccountId={bankAccountId}
        schedule={schedule}
        proposal={{ pace: 'biweekly' }}
        onDone={onClose}
        onCancel={onClose}
      />
    </Dialog>
  )
}

interface FormProps extends Omit<Props, 'onClose'> {
  /** Proposed values for a new payday. */
  proposal: Proposal
  onDone: () => void
  onCancel?: () => void
}

/** The form of a payday. */
export function PaydayForm({ bankAccountId, proposal, onDone, onCancel, ...props }: FormProps) {
  const { timezone, today } = useReader()
  const manner = useManner(bankAccountId)
  const money = useMoneyText(manner)
  const [faults, setFaults] = useState<Record<string, string>>({})
  const saving = useSaving({
    subject: props.schedule,
    action: words.save,
    save: (wanted: Wanted, states) => savePayday(wanted, bankAccountId, states),
    sayField: (field, present) => fieldText(field, present, money),
  })
  const { shown: schedule, taken, send, fault, form } = saving
  const { pace: former, day: formerDay } = formerOf(schedule, { timezone, today, proposal })
  const submit = (values: Record<string, string>) => {
    const { name = '', day = '', pace = '', deposit = '', excludeWeekends, automatic } = values
    const estimatedDeposit = deposit === '' ? null : parseAmount(deposit, manner)
    const isSame = schedule !== undefined && pace === former && day === formerDay
    const isPast = day !== '' && day <= today && !isSame
    const isNoAmount = deposit !== '' && estimatedDeposit === null
    const isMissing = automatic === 'on' && !estimatedDeposit
    const example = formatAmount(195_000, manner)
    const found = {
      ...(name.trim() ? {} : { name: words.required }),
      ...(day ? {} : { nextRecurrence: words.required }),
      ...(isPast ? { nextRecurrence: words.pastFault } : {}),
      ...(isMissing ? { estimatedDeposit: words.depositNeeded({ example }) } : {}),
      ...(isNoAmount ? { estimatedDeposit: words.amountFault({ example }) } : {}),
    }
    setFaults(found)
    if (Object.keys(found).length > 0) return
    const isKept = isSame || pace === 'kept'
    const start = instantOf(day, timezone)
    const rule = isKept ? {} : { ruleset: paydaysOf(pace as Pace, { day, start }) }
    const flags = {
      excludeWeekends: excludeWeekends === 'on',
      autoCreateTransaction: automatic === 'on',
    }
    send({ name: name.trim(), ...flags, estimatedDeposit, ...rule }, onDone)
  }
  const problems: Record<string, string> = { ...fault?.problems, ...faults }
  return (
    <Form key={taken} {...form} problems={faults} onSubmit={submit} onCancel={onCancel}>
      <Fields
        bankAccountId={bankAccountId}
        schedule={schedule}
        proposal={proposal}
        problems={problems}
      />
    </Form>
  )
}

interface FieldsProps extends Omit<FormProps, 'onDone'> {
  problems: Record<string, string>
}

function Fields({ bankAccountId, schedule, proposal, problems }: FieldsProps) {
  const reader = useReader()
  const { timezone, today } = reader
  const manner = useManner(bankAccountId)
  const isManual = useIsManual(bankAccountId)
  const { pace: former, day: formerDay } = formerOf(schedule, { timezone, today, proposal })
  const deposit = schedule ? schedule.estimatedDeposit : (proposal.deposit ?? null)
  const [plan, setPlan] = useState({
    pace: former,
    day: formerDay,
    excludesWeekends: schedule?.excludeWeekends ?? true,
  })
  const repeat = (pace: Pace | 'kept') => {
    const isFormer = schedule !== undefined && pace === former
    const fitting = pace === 'kept' ? formerDay : fittingDay(pace, { day: plan.day, today })
    setPlan({ ...plan, pace, day: isFormer && fitting !== plan.day ? formerDay : fitting })
  }
  return (
    <>
      <TextField
        label={words.name}
        name="name"
        defaultValue={schedule?.name ?? proposal.name ?? ''}
        fault={problems.name}
      />
      <DayField
        label={words.first}
        name="day"
        reading={{ ...reader, isAhead: true }}
        min={dayAfter(today, 1)}
        value={plan.day}
        onChange={(day) => setPlan({ ...plan, day })}
        fault={problems.nextRecurrence}
      />
      <ChoiceField
        label={words.repeats}
        name="pace"
        defaultValue={former}
        options={Object.entries(words.repeatsEvery)
          .filter(([value]) => value !== 'kept' || former === 'kept')
          .map(([value, text]) => ({ value, text }))}
        onChange={(pace) => repeat(pace as Pace | 'kept')}
        fault={problems.ruleset}
      />
      <CheckField
        label={words.weekends}
        name="excludeWeekends"
        defaultChecked={plan.excludesWeekends}
        onChange={(event) => setPlan({ ...plan, excludesWeekends: event.target.checked })}
      />
      <NextDates {...plan} />
      <AmountField
        label={words.deposit}
        hint={words.depositHint}
        name="deposit"
        manner={manner}
        defaultValue={deposit === null ? '' : amountText(deposit, manner)}
        fault={problems.estimatedDeposit}
      />
      {isManual && (
        <CheckField
          label={words.automatic}
          name="automatic"
          defaultChecked={schedule?.autoCreateTransaction}
        />
      )}
    </>
  )
}

/** Returns the initial pace and next day of the form: those of the payday, or the proposed ones. */
function formerOf(
  schedule: FundingSchedule | undefined,
  { timezone, today, proposal }: { timezone: string; today: string; proposal: Proposal },
): { pace: Pace | 'kept'; day: string } {
  const { pace, day: proposed = nextFriday(today) } = proposal
  if (schedule === undefined) return { pace, day: proposed }
  const moved = dayOf(schedule.nextRecurrence, timezone)
  const day = schedule.excludeWeekends ? ruleDayOf(schedule.ruleset, moved) : moved
  return { pace: paceOf(schedule.ruleset) ?? 'kept', day }
}

/** Returns label and text of a field of a payday, as the form shows it. */
function fieldText(
  field: string,
  schedule: FundingSchedule | undefined,
  money: (amount: number) => string,
): [label: string, text: string] {
  const { name = '', ruleset = '', estimatedDeposit = null } = schedule ?? {}
  const isOn = (flag = false) => faultWords.isOn({ isOn: String(flag) })
  const texts: Record<string, [label: string, text: string]> = {
    ruleset: [words.repeats, words.repeatsEvery[paceOf(ruleset) ?? 'kept']],
    excludeWeekends: [words.weekends, isOn(schedule?.excludeWeekends)],
    autoCreateTransaction: [words.automatic, isOn(schedule?.autoCreateTransaction)],
    estimatedDeposit: [words.deposit, estimatedDeposit === null ? '–' : money(estimatedDeposit)],
  }
  return texts[field] ?? [words.name, name]
}

async function savePayday(
  wanted: Wanted,
  bankAccountId: string,
  { shown, seen }: States<FundingSchedule | undefined>,
): Promise<Saved<FundingSchedule | undefined>> {
  if (shown === undefined || seen === undefined) {
    const body = { ...wanted, ruleset: wanted.ruleset ?? '' }
    return await coffer.createFundingSchedule({ path: { bankAccountId }, body })
  }
  const path = { bankAccountId, fundingScheduleId: shown.fundingScheduleId }
  return await updateAsRead({
    seen,
    body: changesOf(wanted, shown),
    read: () => coffer.getFundingSchedule({ path }),
    update: (changed, condition) =>
      coffer.updateFundingSchedule({ path, body: changed, ...condition }),
  })
}
