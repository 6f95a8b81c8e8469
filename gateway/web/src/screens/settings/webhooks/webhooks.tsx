import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useChange } from '../../../api/changes.ts'
import { coffer } from '../../../api/client.ts'
import { Asked } from '../../../controls/asked.tsx'
import { Button } from '../../../controls/button.tsx'
import { Dialog } from '../../../controls/dialog.tsx'
import rows from '../../../controls/rows.module.css'
import { Card, Empty, Screen } from '../../../controls/screen.tsx'
import { useOpenedForm } from '../../../shell/opened-form.ts'
import { webhookWords as words } from '../../../words/webhooks.ts'
import { Secret } from '../secret.tsx'
import { type WebhookEntries, WebhookForm } from './webhook-form.tsx'
import { type Webhook, webhooksQuery } from './webhook-queries.ts'
import { WebhookState } from './webhook-state.tsx'

/** Webhooks of the account; the secret of a new one is shown once. */
export function Webhooks() {
  const webhooks = useQuery(webhooksQuery)
  const [isAdding, setAdding] = useOpenedForm('webhook')
  const [secret, setSecret] = useState<string | null>(null)
  const add = (
    <Button kind="primary" onClick={() => setAdding(true)}>
      {words.add}
    </Button>
  )
  return (
    <Screen title={words.title} isNarrow actions={add}>
      <p>
        {words.text}{' '}
        <a href="./api/reference" target="_blank" rel="noreferrer">
          {words.guide}
        </a>
      </p>
      {secret && <Secret text={words.secretShown} value={secret} label={words.secret} />}
      <Asked query={webhooks}>
        {(all) => (all.length === 0 ? <Empty>{words.none}</Empty> : <List webhooks={all} />)}
      </Asked>
      {isAdding && <Add onClose={() => setAdding(false)} onSecret={setSecret} />}
    </Screen>
  )
}

function List({ webhooks }: { webhooks: Webhook[] }) {
  return (
    <Card>
      <ul className={rows.rows}>
        {webhooks.map((one) => (
          <li key={one.webhookId} className={rows.row}>
            <div>
              <p className={rows.name}>
                <Link to="/webhooks/$webhookId" params={{ webhookId: one.webhookId }}>
                  {one.description || one.url}
                </Link>
              </p>
              {one.description && <p className={rows.soft}>{one.url}</p>}
              <p className={rows.soft}>
                {one.types.length === 0
                  ? words.allTypes
                  : words.someTypes({ count: one.types.length })}
              </p>
            </div>
            <WebhookState webhook={one} isShort />
          </li>
        ))}
      </ul>
    </Card>
  )
}

interface AddProps {
  onClose: () => void
  onSecret: (secret: string) => void
}

function Add({ onClose, onSecret }: AddProps) {
  const { send, isSending, fault } = useChange(async (body: WebhookEntries) => {
    return (await coffer.createWebhook({ body })).data.secret ?? ''
  })
  const create = (entries: WebhookEntries) =>
    send(entries, (secret) => {
      onSecret(secret)
      onClose()
    })
  return (
    <Dialog title={words.addTitle} isOpen onClose={onClose}>
      <WebhookForm
        form={{ action: words.create, isSending, fault }}
        onSubmit={create}
        onClose={onClose}
      />
    </Dialog>
  )
}
