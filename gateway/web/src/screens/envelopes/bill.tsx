import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { explanationQuery, type Spending } from '../../api/budget-queries.ts'
import { useChange } from '../../api/changes.ts'
import { coffer } from '../../api/client.ts'
import { journalQuery } from '../../api/history-queries.ts'
import { showNote } from '../../api/notes.ts'
import { Button } from '../../controls/button.tsx'
import { Confirmation } from '../../controls/confirmation.tsx'
import { FaultBanner } from '../../controls/form.tsx'
import rows from '../../controls/rows.module.css'
import { Card } from '../../controls/screen.tsx'
import { useMoneyText } from '../../controls/texts/money-text.ts'
import { dayOf, formatDay, formatShortDay } from '../../format/days.ts'
import { useManner, useReader, useRest } from '../../shell/chosen-account.ts'
import { envelopeWords as words } from '../../words/envelopes.ts'
import { usePaydays } from '../schedules/use-paydays.ts'
import { findEndedGrace, isAwaited, isPaidAfter } from './due-text.ts'
import { LateBill } from './late-bill.tsx'
import { PaidFromFree } from './paid-from-free.tsx'
import { paidQuery } from './paid-from-it.tsx'
import { usePaidLate } from './paid-late.ts'

/**
 * The next bill of an expense, with actions: paid early, paid late, or skipped
 * (docs/plans/bills.md).
 */
export function Bill({ spending }: { spending: Spending }) {
  const { bankAccountId, spendingId, settledAt, nextRecurrence } = spending
  const { settlesWhenSpent, periodSpentAmount, targetAmount } = spending
  const reader = useReader()
  const path = { bankAccountId, spendingId }
  const { data: explanation } = useQuery(explanationQuery(bankAccountId, spendingId))
  const settle = useChange(() =>
    settledAt === null ? coffer.settleSpending({ path }) : coffer.unsettleSpending({ path }),
  )
  const skip = useChange(() => coffer.skipSpending({ path }))
  const move = useChange((day: string) =>
    coffer.updateSpending({ path, body: { nextRecurrence: day } }),
  )
  const day = (instant: string) => formatDay(dayOf(instant, reader.timezone), reader)
  const skipped = explanation?.skippedDates ?? []
  const lastSkipped = skipped.at(-1)
  const isPaid = settledAt !== null
  const isPaidBySpending = isPaid && settlesWhenSpent && periodSpentAmount >= targetAmount
  const due = formatShortDay(dayOf(nextRecurrence, reader.timezone), reader)
  const toggle = () =>
    settle.send(undefined, () => {
      if (isPaid) return
      const text = words.hasSettled({ day: due })
      showNote({ text, act: { text: words.undo, work: () => coffer.unsettleSpending({ path }) } })
    })
  const settleText = isAwaited(spending) ? words.settleOf({ day: due }) : words.settle
  const fault = settle.fault ?? skip.fault ?? move.fault
  return (
    <Card title={words.bill}>
      {fault && <FaultBanner fault={fault} />}
      <p>{isPaid ? words.billPaid({ day: due }) : words.billDue({ day: day(nextRecurrence) })}</p>
      {isPaidBySpending && <p className={rows.soft}>{words.billPaidBySpending}</p>}
      {!isPaid && <PaidFromFree spending={spending} />}
      {isAwaited(spending) ? <Late spending={spending} /> : <EndedGrace spending={spending} />}
      <div className={rows.toolbar}>
        {!isPaidBySpending && (
          <Button isBusy={settle.isSending} onClick={toggle}>
            {isPaid ? words.unsettle : settleText}
          </Button>
        )}
        {!isPaid && (
          <Button isBusy={skip.isSending} onClick={() => skip.send(undefined)}>
            {isAwaited(spending) ? words.skipOf({ day: due }) : words.skip}
          </Button>
        )}
      </div>
      {lastSkipped && (
        <div className={rows.toolbar}>
          <p>
            {words.skipped({ days: new Intl.ListFormat(reader.language).format(skipped.map(day)) })}
          </p>
          <Button isBusy={move.isSending} onClick={() => move.send(lastSkipped)}>
            {words.unskip}
          </Button>
        </div>
      )}
    </Card>
  )
}

/**
 * Money that the envelope holds for the bill of the last due date, with a button that marks the
 * bill as paid, or frees the money if payments have paid the bill.
 */
function Late({ spending }: { spending: Spending }) {
  const { bankAccountId, spendingId, lastRecurrence, graceAmount } = spending
  const reader = useReader()
  const money = useMoneyText(useManner(bankAccountId))
  const [isAsked, setAsked] = useState(false)
  const due = lastRecurrence === null ? reader.today : dayOf(lastRecurrence, reader.timezone)
  const isPaid = usePaidLate([spending])(spending) === true
  const act = isPaid ? words.releaseOf : words.settleOf
  const text = act({ day: formatShortDay(due, reader) })
  return (
    <>
      <LateBill spending={spending} />
      <div className={rows.toolbar}>
        <Button onClick={() => setAsked(true)}>{text}</Button>
      </div>
      {isAsked && (
        <Confirmation
          title={text}
          action={isPaid ? words.release : words.settle}
          change={() => coffer.endGrace({ path: { bankAccountId, spendingId } })}
          onClose={() => setAsked(false)}
          onDone={() => {
            setAsked(false)
            showNote({ text: words.hasEndedGrace({ day: formatShortDay(due, reader) }) })
          }}
        >
          {words.graceEnds({ amount: money(graceAmount) })}
        </Confirmation>
      )}
    </>
  )
}

/** Says until the next payday, or a payment, that the money of a late bill no longer waits. */
function EndedGrace({ spending }: { spending: Spending }) {
  const { bankAccountId, spendingId, fundingScheduleId } = spending
  const reader = useReader()
  const money = useMoneyText(useManner(bankAccountId))
  const rest = useRest(bankAccountId)
  const { data: paydays = [] } = usePaydays(bankAccountId)
  const payday = paydays.find((one) => one.fundingScheduleId === fundingScheduleId)
  // The history of the same screen asks for these entries too: one request.
  const { data } = useInfiniteQuery(journalQuery(bankAccountId, spendingId))
  const ended = findEndedGrace(data?.pages[0]?.entries ?? [], payday?.lastRecurrence ?? null)
  const { data: paid } = useQuery(paidQuery(bankAccountId, spendingId))
  if (ended === undefined || paid === undefined) return null
  if (isPaidAfter(ended, { paid, spending, timezone: reader.timezone })) return null
  const day = (instant: string) => formatShortDay(dayOf(instant, reader.timezone), reader)
  return (
    <p>
      {words.graceEnded({
        amount: money(-ended.delta),
        bill: day(ended.occurrence ?? ended.createdAt),
        day: day(ended.createdAt),
        rest,
      })}
    </p>
  )
}
