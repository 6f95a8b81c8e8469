import { useQuery } from '@tanstack/react-query'
import { type FundingSchedule, spendingQuery } from '../../api/budget-queries.ts'
import { coffer } from '../../api/client.ts'
import { Confirmation } from '../../controls/confirmation.tsx'
import { scheduleWords as words } from '../../words/schedules.ts'

interface Props {
  schedule: FundingSchedule
  onClose: () => void
}

/**
 * Dialog that asks for confirmation before a payday is deleted; refused while it fills envelopes.
 */
export function RemoveSchedule({ schedule, onClose }: Props) {
  const { bankAccountId, fundingScheduleId, name } = schedule
  const { data: spending = [] } = useQuery(spendingQuery(bankAccountId))
  const filled = spending.filter((one) => one.fundingScheduleId === fundingScheduleId)
  const names = filled.map((one) => one.name).join(', ')
  return (
    <Confirmation
      title={words.removeTitle({ name })}
      action={words.remove}
      change={() => coffer.deleteFundingSchedule({ path: { bankAccountId, fundingScheduleId } })}
      onClose={onClose}
      isIdle={filled.length > 0}
    >
      {filled.length > 0 ? words.removeFilled({ names }) : words.removeText}
    </Confirmation>
  )
}
