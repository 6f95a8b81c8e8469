import type { FundingSchedule } from '../../api/budget-queries.ts'
import { useChange } from '../../api/changes.ts'
import { coffer } from '../../api/client.ts'
import { Button } from '../../controls/button.tsx'
import { Dialog } from '../../controls/dialog.tsx'
import { FaultBanner } from '../../controls/form.tsx'
import rows from '../../controls/rows.module.css'
import { scheduleWords as words } from '../../words/schedules.ts'

interface Props {
  schedule: FundingSchedule
  onClose: () => void
}

/** Asks before a payday is deleted. */
export function RemoveSchedule({ schedule, onClose }: Props) {
  const { bankAccountId, fundingScheduleId, name } = schedule
  const { send, isSending, fault } = useChange(() =>
    coffer.deleteFundingSchedule({ path: { bankAccountId, fundingScheduleId } }),
  )
  return (
    <Dialog title={words.removeTitle(name)} isOpen onClose={onClose}>
      {fault && <FaultBanner fault={fault} />}
      <p>{words.removeText}</p>
      <div className={rows.toolbar}>
        <Button kind="danger" isBusy={isSending} onClick={() => send(undefined, onClose)}>
          {words.remove}
        </Button>
        <Button onClick={onClose}>{words.cancel}</Button>
      </div>
    </Dialog>
  )
}
