import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { Transaction } from '../../api/budget-queries.ts'
import { useChange } from '../../api/changes.ts'
import { coffer } from '../../api/client.ts'
import { transactionQuery } from '../../api/transaction-queries.ts'
import { Amount } from '../../controls/amount.tsx'
import { Asked } from '../../controls/asked.tsx'
import { Button } from '../../controls/button.tsx'
import { FaultBanner } from '../../controls/form.tsx'
import rows from '../../controls/rows.module.css'
import { Card } from '../../controls/screen.tsx'
import { dayOf, formatDay } from '../../format/days.ts'
import { useManner, useReader } from '../../shell/chosen-account.ts'
import { transactionWords as words } from '../../words/transactions.ts'

/** Pending transactions that may be the same purchase as a posted one, to accept or reject. */
export function Suggestions({ transaction }: { transaction: Transaction }) {
  const suggested = (transaction.suggestions ?? []).filter(({ kind }) => kind === 'pending')
  if (suggested.length === 0) return null
  return (
    <Card title={words.suggested}>
      <p>{words.suggestedText}</p>
      {suggested.map(({ transactionId }) => (
        <Suggested key={transactionId} posted={transaction} pendingId={transactionId} />
      ))}
    </Card>
  )
}

function Suggested({ posted, pendingId }: { posted: Transaction; pendingId: string }) {
  const { bankAccountId, transactionId } = posted
  const navigate = useNavigate()
  const reader = useReader()
  const manner = useManner(bankAccountId)
  const pending = useQuery(transactionQuery(bankAccountId, pendingId))
  const path = { bankAccountId, transactionId }
  const body = { kind: 'pending' as const, transactionId: pendingId }
  const accept = useChange(() => coffer.acceptSuggestion({ path, body }))
  const reject = useChange(() => coffer.rejectSuggestion({ path, body }))
  const show = () =>
    navigate({
      to: '/transactions/$transactionId',
      params: { transactionId: pendingId },
      search: { account: bankAccountId },
    })
  const fault = accept.fault ?? reject.fault
  return (
    <Asked query={pending} lines={2}>
      {({ name, originalName, amount, date }) => (
        <>
          {fault && <FaultBanner fault={fault} />}
          <p>
            {name ?? originalName}, {formatDay(dayOf(date, reader.timezone), reader)},{' '}
            <Amount amount={amount} manner={manner} as="flow" />
          </p>
          <div className={rows.toolbar}>
            <Button
              kind="primary"
              isBusy={accept.isSending}
              onClick={() => accept.send(undefined, show)}
            >
              {words.accept}
            </Button>
            <Button isBusy={reject.isSending} onClick={() => reject.send(undefined)}>
              {words.reject}
            </Button>
          </div>
        </>
      )}
    </Asked>
  )
}

/** Undoes the match of a posted transaction with a pending one. */
export function Separate({ transaction }: { transaction: Transaction }) {
  const { bankAccountId, transactionId, joinedBy } = transaction
  const path = { bankAccountId, transactionId }
  const separate = useChange(() => coffer.separateTransaction({ path, body: {} }))
  if (joinedBy === undefined) return null
  return (
    <Card title={words.joined}>
      {separate.fault && <FaultBanner fault={separate.fault} />}
      <p>{joinedBy === 'user' ? words.joinedByUser : words.joinedByRule}</p>
      <div className={rows.toolbar}>
        <Button isBusy={separate.isSending} onClick={() => separate.send(undefined)}>
          {words.separate}
        </Button>
      </div>
    </Card>
  )
}
