import { useQuery } from '@tanstack/react-query'
import { type Spending, schedulesQuery } from '../../api/budget-queries.ts'
import { useMoneyText } from '../../controls/texts/money-text.ts'
import { dayOf, formatDay } from '../../format/days.ts'
import { repeatOf } from '../../format/recurrence.ts'
import { useManner, useReader } from '../../shell/chosen-account.ts'
import { envelopeWords as words } from '../../words/envelopes.ts'
import { faultWords } from '../../words/faults.ts'

/** Returns a function for label and text of a field of an envelope, as the form shows it. */
export function useFieldText(
  bankAccountId: string,
): (field: string, of: Spending | undefined) => [label: string, text: string] {
  const { data: schedules = [] } = useQuery(schedulesQuery(bankAccountId))
  const reader = useReader()
  const money = useMoneyText(useManner(bankAccountId))
  const isOn = (flag: boolean | null) => faultWords.isOn({ isOn: String(flag === true) })
  return (field, spending) => {
    if (spending === undefined) return [words.name, '']
    const { name, targetAmount, nextRecurrence, ruleset, fundingScheduleId, graceDays } = spending
    const { settlesWhenSpent, carryOver, autoCreateTransaction, isPaused } = spending
    const schedule = schedules.find((one) => one.fundingScheduleId === fundingScheduleId)
    const texts: Record<string, [label: string, text: string]> = {
      name: [words.name, name],
      targetAmount: [words.target, money(targetAmount)],
      nextRecurrence: [words.day, formatDay(dayOf(nextRecurrence, reader.timezone), reader)],
      ruleset: [words.repeats, words.repeatsEvery[repeatOf(ruleset ?? '') ?? 'kept']],
      fundingScheduleId: [words.schedule, schedule?.name ?? ''],
      graceDays: [words.graceDays, words.days({ count: graceDays })],
      settlesWhenSpent: [words.settles, isOn(settlesWhenSpent)],
      carryOver: [words.carryOver, isOn(carryOver)],
      autoCreateTransaction: [words.automatic, isOn(autoCreateTransaction)],
      isPaused: [words.pause, isOn(isPaused)],
    }
    return texts[field] ?? [words.name, name]
  }
}
