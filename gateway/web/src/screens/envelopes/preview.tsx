import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { coffer } from '../../api/client.ts'
import { useMoneyText } from '../../controls/texts/money-text.ts'
import { parseAmount } from '../../format/amount-input.ts'
import { instantOf } from '../../format/days.ts'
import { useManner, useReader } from '../../shell/chosen-account.ts'
import { envelopeWords as words } from '../../words/envelopes.ts'
import { type Entries, ruleOf } from './envelope-entries.ts'
import styles from './envelopes.module.css'

interface Props {
  bankAccountId: string
  entries: Entries
  /** ID of the envelope that is changed; null for a new one. */
  spendingId: string | null
}

/** Preview of the next contribution for the values of the form. */
export function Preview({ bankAccountId, entries, spendingId }: Props) {
  const { timezone } = useReader()
  const manner = useManner(bankAccountId)
  const money = useMoneyText(manner)
  const targetAmount = parseAmount(entries.target, manner) ?? 0
  const { kind, day, fundingScheduleId } = entries
  const rule = ruleOf(entries, timezone)
  const isAskable = targetAmount > 0 && day !== '' && fundingScheduleId !== ''
  const { data } = useQuery({
    queryKey: ['estimate', bankAccountId, targetAmount, day, fundingScheduleId, rule, spendingId],
    enabled: isAskable,
    placeholderData: keepPreviousData,
    refetchInterval: false,
    queryFn: async ({ signal }) => {
      const nextRecurrence = instantOf(day, timezone)
      const changed = spendingId === null ? {} : { spendingId }
      const shared = { fundingScheduleId, targetAmount, nextRecurrence, ...changed }
      const body =
        kind === 'goal'
          ? { ...shared, spendingType: 'goal' as const }
          : { ...shared, spendingType: 'expense' as const, recurrenceRule: rule ?? '' }
      return (await coffer.estimateSpending({ path: { bankAccountId }, body, signal })).data
    },
  })
  if (data?.nextContribution === undefined) return null
  // Keeps its place while a value is unreadable: a button that moved would lose a click on it.
  const visibility = isAskable ? undefined : 'hidden'
  return (
    <p className={styles.preview} role="status" style={{ visibility }}>
      {words.preview({ amount: money(data.nextContribution) })}
    </p>
  )
}
