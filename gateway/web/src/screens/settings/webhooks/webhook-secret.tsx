import { useState } from 'react'
import { useChange } from '../../../api/changes.ts'
import { coffer } from '../../../api/client.ts'
import { Button } from '../../../controls/button.tsx'
import { Confirmation } from '../../../controls/confirmation.tsx'
import { FaultBanner } from '../../../controls/form.tsx'
import rows from '../../../controls/rows.module.css'
import { Card } from '../../../controls/screen.tsx'
import { formatInstant } from '../../../format/days.ts'
import { useReader } from '../../../shell/chosen-account.ts'
import { webhookWords as words } from '../../../words/webhooks.ts'
import { Secret } from '../secret.tsx'
import type { Webhook } from './webhook-queries.ts'

/**
 * The secret of a webhook. A new one is shown once, and the previous one can be revoked at once.
 */
export function WebhookSecret({ webhook }: { webhook: Webhook }) {
  const reader = useReader()
  const [isAsked, setAsked] = useState(false)
  const [secret, setSecret] = useState<string | null>(null)
  const { webhookId, formerSecretEndsAt } = webhook
  const path = { webhookId }
  const end = useChange(() => coffer.endFormerWebhookSecret({ path }))
  const rotate = async () => {
    const { data } = await coffer.rotateWebhookSecret({ path, body: {} })
    setSecret(data.secret ?? null)
  }
  const isBoth = formerSecretEndsAt !== null && Date.parse(formerSecretEndsAt) > Date.now()
  return (
    <Card title={words.secret}>
      <p>{words.secretText}</p>
      {secret && <Secret text={words.secretShown} value={secret} label={words.secret} />}
      {end.fault && <FaultBanner fault={end.fault} />}
      {isBoth && <p>{words.former({ until: formatInstant(formerSecretEndsAt, reader) })}</p>}
      <div className={rows.toolbar}>
        <Button onClick={() => setAsked(true)}>{words.rotate}</Button>
        {isBoth && (
          <Button isBusy={end.isSending} onClick={() => end.send(undefined)}>
            {words.endFormer}
          </Button>
        )}
      </div>
      {isAsked && (
        <Confirmation
          title={words.rotateTitle}
          action={words.rotate}
          change={rotate}
          onClose={() => setAsked(false)}
        >
          {words.rotateText}
        </Confirmation>
      )}
    </Card>
  )
}
