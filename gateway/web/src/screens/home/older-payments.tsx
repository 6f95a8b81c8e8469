import { listWaiting, type Spending, type Transaction } from '../../api/budget-queries.ts'
import { bulkMax, changeMany } from '../../api/bulk-changes.ts'
import { useChange } from '../../api/changes.ts'
import { Button } from '../../controls/button.tsx'
import { FaultBanner } from '../../controls/form.tsx'
import rows from '../../controls/rows.module.css'
import { dayAfter, dayOf, formatShortDay } from '../../format/days.ts'
import { useReader, useRest } from '../../shell/chosen-account.ts'
import { homeWords } from '../../words/home.ts'

interface Props {
  bankAccountId: string
  payments: Transaction[]
  spending: Spending[]
}

/** Offers to leave payments from before the first envelope to free-to-use. */
export function Older({ bankAccountId, payments, spending }: Props) {
  const reader = useReader()
  const rest = useRest(bankAccountId)
  const { send, isSending, fault } = useChange(leaveFree)
  const [first] = spending.map(({ createdAt }) => createdAt).toSorted()
  const day = first === undefined ? '' : dayOf(first, reader.timezone)
  const isOlder = ({ date }: Transaction) => dayOf(date, reader.timezone) < day
  if (!payments.some(isOlder)) return null
  // The list is newest first: if all shown payments are older, so are the rest.
  const areAll = payments.every(isOlder)
  return (
    <div className={rows.toolbar}>
      {fault && <FaultBanner fault={fault} />}
      <p>{homeWords.older({ areAll, day: formatShortDay(day, reader) })}</p>
      <Button
        isBusy={isSending}
        onClick={() => send({ bankAccountId, to: dayAfter(day, -1), max: bulkMax })}
      >
        {homeWords.leaveOlder({ rest })}
      </Button>
    </div>
  )
}

/**
 * Takes the newest payments of the day `to` and before, at most `max`, out of the list of those
 * that wait for an envelope: free-to-use has paid them.
 */
async function leaveFree({
  bankAccountId,
  ...of
}: {
  bankAccountId: string
  to: string
  max: number
}) {
  const older = await listWaiting(bankAccountId, of)
  const chosen = new Map(older.map((one) => [one.transactionId, one]))
  if (chosen.size > 0) await changeMany(bankAccountId, chosen, { set: { spendingId: null } })
}
