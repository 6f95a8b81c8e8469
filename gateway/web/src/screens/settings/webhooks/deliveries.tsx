import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useChange } from '../../../api/changes.ts'
import { coffer } from '../../../api/client.ts'
import { showNote } from '../../../api/notes.ts'
import { Asked } from '../../../controls/asked.tsx'
import { Button } from '../../../controls/button.tsx'
import { ChoiceField, TextField } from '../../../controls/field.tsx'
import { FaultBanner, Form } from '../../../controls/form.tsx'
import { MoreButton } from '../../../controls/more-button.tsx'
import rows from '../../../controls/rows.module.css'
import { Card, Facts } from '../../../controls/screen.tsx'
import { dayAfter, dayOf, formatInstant, instantOf } from '../../../format/days.ts'
import { useReader } from '../../../shell/chosen-account.ts'
import { webhookWords as words } from '../../../words/webhooks.ts'
import styles from '../settings.module.css'
import { type Delivery, deliveriesQuery, type Webhook } from './webhook-queries.ts'

type Status = Delivery['status']

/** Deliveries of a webhook, newest first, each with its result and a button to send it again. */
export function Deliveries({ webhook }: { webhook: Webhook }) {
  const [status, setStatus] = useState<Status | undefined>()
  const found = useInfiniteQuery(deliveriesQuery(webhook.webhookId, status))
  const options = Object.entries(words.statuses).map(([value, text]) => ({ value, text }))
  return (
    <Card title={words.deliveries}>
      <ChoiceField
        label={words.status}
        value={status ?? ''}
        options={[{ value: '', text: words.anyStatus }, ...options]}
        onChange={(value) => setStatus((value || undefined) as Status | undefined)}
      />
      <Asked query={found}>
        {({ pages }) => {
          const all = pages.flatMap(({ deliveries }) => deliveries)
          if (all.length === 0) return <p className={rows.soft}>{words.noDeliveries}</p>
          return (
            <ul className={rows.rows}>
              {all.map((one) => (
                <Line key={one.deliveryId} delivery={one} isEnabled={webhook.isEnabled} />
              ))}
            </ul>
          )
        }}
      </Asked>
      <MoreButton query={found}>{words.more}</MoreButton>
      {webhook.isEnabled && <Since webhookId={webhook.webhookId} />}
    </Card>
  )
}

function Line({ delivery, isEnabled }: { delivery: Delivery; isEnabled: boolean }) {
  const reader = useReader()
  const { webhookId, deliveryId, type, status, attempts, answerStatus } = delivery
  const path = { webhookId, deliveryId }
  const { send, isSending, fault } = useChange(() => coffer.resendDelivery({ path }))
  const at = formatInstant(delivery.attemptedAt ?? delivery.createdAt, reader)
  const answer = answerStatus === null ? words.unanswered : words.answered({ status: answerStatus })
  return (
    <li className={styles.delivery}>
      {fault && <FaultBanner fault={fault} />}
      <div className={rows.row}>
        <div>
          <p className={rows.name}>{words.typeOf(type)}</p>
          <p className={rows.soft}>
            {at}, {words.attempts({ count: attempts })}, {answer}
          </p>
        </div>
        <p className={status === 'failed' ? styles.faulty : undefined}>{words.statuses[status]}</p>
      </div>
      <div className={rows.toolbar}>
        <details>
          <summary>{words.details}</summary>
          <Details delivery={delivery} />
        </details>
        {isEnabled && status !== 'pending' && (
          <Button
            kind="quiet"
            aria-label={words.resendOf({ what: words.typeOf(type), at })}
            isBusy={isSending}
            onClick={() => send(undefined)}
          >
            {words.resend}
          </Button>
        )}
      </div>
    </li>
  )
}

function Details({ delivery }: { delivery: Delivery }) {
  const reader = useReader()
  const { changeId, objectId, nextAttemptAt, answer, problem } = delivery
  const facts = [
    [words.change, changeId],
    [words.object, objectId],
    [words.problem, problem],
  ] as const
  return (
    <>
      {nextAttemptAt && <p>{words.next({ at: formatInstant(nextAttemptAt, reader) })}</p>}
      <Facts facts={facts} />
      {answer && (
        <>
          <p className={rows.soft}>{words.answer}</p>
          <pre className={styles.answer}>{answer}</pre>
        </>
      )}
    </>
  )
}

/** Sends all changes since the start of a day again. */
function Since({ webhookId }: { webhookId: string }) {
  const { timezone } = useReader()
  const today = dayOf(new Date(), timezone)
  const { send, isSending, fault } = useChange((day: string) =>
    coffer.resendDeliveriesSince({
      path: { webhookId },
      body: { since: instantOf(day, timezone) },
    }),
  )
  return (
    <Form
      action={words.resendSince}
      isSending={isSending}
      fault={fault}
      onSubmit={({ day = '' }) => send(day, () => showNote({ text: words.resent }))}
    >
      <TextField
        label={words.since}
        name="day"
        type="date"
        required
        min={dayAfter(today, -29)}
        max={today}
        defaultValue={today}
        fault={fault?.problems.since}
      />
    </Form>
  )
}
