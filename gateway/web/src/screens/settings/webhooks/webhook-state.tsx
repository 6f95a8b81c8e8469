import { formatInstant } from '../../../format/days.ts'
import { useReader } from '../../../shell/chosen-account.ts'
import { webhookWords as words } from '../../../words/webhooks.ts'
import styles from '../settings.module.css'
import type { Webhook } from './webhook-queries.ts'

/** Says whether a webhook is enabled and its requests succeed, in one word or in sentences. */
export function WebhookState({
  webhook,
  isShort = false,
}: {
  webhook: Webhook
  isShort?: boolean
}) {
  const reader = useReader()
  const { isEnabled, disabledReason, failingSince } = webhook
  const isFaulty = disabledReason !== null || (isEnabled && failingSince !== null)
  const text = isEnabled ? words.on : words.paused
  const why = disabledReason && words.disabled[disabledReason]
  const failing =
    isEnabled && failingSince && words.failing({ since: formatInstant(failingSince, reader) })
  return (
    <div role="status" className={isFaulty ? styles.faulty : undefined}>
      <p>{isShort && isFaulty ? words.statuses.failed : (why ?? text)}</p>
      {!isShort && failing && <p>{failing}</p>}
    </div>
  )
}
