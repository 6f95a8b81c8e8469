import type { FundingSchedule } from '../../api/budget-queries.ts'
import { coffer } from '../../api/client.ts'
import { Confirmation } from '../../controls/confirmation.tsx'
import { scheduleWords as words } from '../../words/schedules.ts'

interface Props {
  schedule: FundingSchedule
  onClose: () => void
}

/** Asks before a payday is deleted. */
export function RemoveSchedule({ schedule, onClose }: Props) {
  const { bankAccountId, fundingScheduleId, name } = schedule
  return (
    <Confirmation
      title={words.removeTitle({ name })}
      action={words.remove}
      change={() => coffer.deleteFundingSchedule({ path: { bankAccountId, fundingScheduleId } })}
      onClose={onClose}
    >
      {words.removeText}
    </Confirmation>
  )
}
