import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useChange } from '../../../api/changes.ts'
import { coffer } from '../../../api/client.ts'
import { showNote } from '../../../api/notes.ts'
import { Asked } from '../../../controls/asked.tsx'
import { Button } from '../../../controls/button.tsx'
import { Confirmation } from '../../../controls/confirmation.tsx'
import { Dialog } from '../../../controls/dialog.tsx'
import { FaultBanner } from '../../../controls/form.tsx'
import rows from '../../../controls/rows.module.css'
import { changesOf, updateAsRead } from '../../../controls/saving/as-read.ts'
import { useSaving } from '../../../controls/saving/saving.tsx'
import { Card, Empty, Screen } from '../../../controls/screen.tsx'
import { formatInstant } from '../../../format/days.ts'
import { useReader } from '../../../shell/chosen-account.ts'
import { webhookWords as words } from '../../../words/webhooks.ts'
import { Deliveries } from './deliveries.tsx'
import { type WebhookEntries, WebhookForm } from './webhook-form.tsx'
import { type Webhook, type WebhookChange, webhookQuery } from './webhook-queries.ts'
import { WebhookSecret } from './webhook-secret.tsx'
import { WebhookState } from './webhook-state.tsx'

/** A webhook: its state, its secret and its deliveries. */
export function WebhookDetail() {
  const { webhookId } = useParams({ from: '/frame/webhooks/$webhookId' })
  const webhook = useQuery(webhookQuery(webhookId))
  return (
    <Screen title={words.one} isNarrow actions={<Link to="/webhooks">{words.back}</Link>}>
      <Asked query={webhook}>
        {([found]) =>
          found === undefined ? (
            <Empty>{words.gone}</Empty>
          ) : (
            <>
              <State webhook={found} />
              <WebhookSecret webhook={found} />
              <Deliveries webhook={found} />
            </>
          )
        }
      </Asked>
    </Screen>
  )
}

function State({ webhook }: { webhook: Webhook }) {
  const reader = useReader()
  const [asked, setAsked] = useState<'edit' | 'remove' | null>(null)
  const path = { webhookId: webhook.webhookId }
  const change = useChange((body: WebhookChange) => coffer.updateWebhook({ path, body }))
  const test = useChange(() => coffer.pingWebhook({ path }))
  const { isEnabled, types, createdAt, createdWith } = webhook
  const toggle = () =>
    change.send({ isEnabled: !isEnabled }, () => {
      if (!isEnabled) showNote({ text: words.switchOnText })
    })
  const fault = change.fault ?? test.fault
  return (
    <Card title={webhook.description || words.one}>
      {fault && <FaultBanner fault={fault} />}
      <p className={rows.name}>{webhook.url}</p>
      <WebhookState webhook={webhook} />
      <p className={rows.soft}>{typesText(types)}</p>
      <p className={rows.soft}>
        {words.created({ at: formatInstant(createdAt, reader), how: words.madeWith[createdWith] })}
      </p>
      <div className={rows.toolbar}>
        <Button
          isIdle={!isEnabled}
          isBusy={test.isSending}
          onClick={() => test.send(undefined, () => showNote({ text: words.tested }))}
        >
          {words.test}
        </Button>
        <Button isBusy={change.isSending} onClick={toggle}>
          {isEnabled ? words.pause : words.switchOn}
        </Button>
        <Button onClick={() => setAsked('edit')}>{words.edit}</Button>
        <Button kind="danger" onClick={() => setAsked('remove')}>
          {words.remove}
        </Button>
      </div>
      {asked === 'edit' && <Edit webhook={webhook} onClose={() => setAsked(null)} />}
      {asked === 'remove' && <Remove webhook={webhook} onClose={() => setAsked(null)} />}
    </Card>
  )
}

interface AskedProps {
  webhook: Webhook
  onClose: () => void
}

function Edit({ webhook, onClose }: AskedProps) {
  const path = { webhookId: webhook.webhookId }
  const { shown, taken, send, form } = useSaving({
    subject: webhook,
    action: words.save,
    save: (wanted: WebhookEntries, { shown: known, seen }) =>
      updateAsRead({
        seen,
        body: changesOf<Partial<Webhook>>(wanted, known) as WebhookChange,
        read: () => coffer.getWebhook({ path }),
        update: (body, condition) => coffer.updateWebhook({ path, body, ...condition }),
      }),
    sayField: fieldText,
  })
  return (
    <Dialog title={words.edit} isOpen onClose={onClose}>
      <WebhookForm
        key={taken}
        webhook={shown}
        form={form}
        onSubmit={(entries) => send(entries, onClose)}
        onClose={onClose}
      />
    </Dialog>
  )
}

/** Returns label and text of a field of a webhook, as the form shows it. */
function fieldText(field: string, { url, description, types }: Webhook): [string, string] {
  if (field === 'types') return [words.which, typesText(types)]
  return field === 'url' ? [words.url, url] : [words.description, description]
}

function typesText(types: string[]): string {
  return types.length === 0 ? words.allTypes : types.map(words.typeOf).join(', ')
}

function Remove({ webhook, onClose }: AskedProps) {
  const navigate = useNavigate()
  const path = { webhookId: webhook.webhookId }
  const remove = async () => {
    await coffer.deleteWebhook({ path })
    await navigate({ to: '/webhooks' })
  }
  return (
    <Confirmation title={words.removeTitle} action={words.remove} change={remove} onClose={onClose}>
      {words.removeText}
    </Confirmation>
  )
}
