import { type ComponentProps, useState } from 'react'
import { CheckField, ChoiceField, TextField } from '../../../controls/field.tsx'
import { Form } from '../../../controls/form.tsx'
import { webhookWords as words } from '../../../words/webhooks.ts'
import styles from '../settings.module.css'
import type { Change, Webhook } from './webhook-queries.ts'

/** Values of the form. An empty list of types subscribes to all. */
export interface WebhookEntries {
  url: string
  description: string
  types: Change['type'][]
}

interface Props {
  /** The webhook to change; undefined to create one. */
  webhook?: Webhook
  /** Props of the form. */
  form: Omit<ComponentProps<typeof Form>, 'children' | 'onSubmit'>
  onSubmit: (entries: WebhookEntries) => void
  onClose: () => void
}

const allTypes = Object.keys(words.types) as Change['type'][]

/** Form with URL, description and types of changes of a webhook. */
export function WebhookForm({ webhook, form, onSubmit, onClose }: Props) {
  const { fault } = form
  const known = webhook?.types ?? []
  const [which, setWhich] = useState(known.length > 0 ? 'only' : 'all')
  const [problems, setProblems] = useState<Record<string, string>>({})
  const submit = ({ url = '', description = '', ...rest }: Record<string, string>) => {
    const chosen = allTypes.filter((one) => rest[one] !== undefined)
    const isNone = which === 'only' && chosen.length === 0
    setProblems(isNone ? { types: words.onlyNone } : {})
    if (!isNone) onSubmit({ url: url.trim(), description, types: which === 'all' ? [] : chosen })
  }
  return (
    <Form {...form} problems={problems} onSubmit={submit} onCancel={onClose}>
      <TextField
        label={words.url}
        hint={words.urlHint}
        name="url"
        type="url"
        inputMode="url"
        autoComplete="off"
        defaultValue={webhook?.url}
        fault={fault?.problems.url}
      />
      <TextField
        label={words.description}
        name="description"
        maxLength={300}
        defaultValue={webhook?.description}
        fault={fault?.problems.description}
      />
      <ChoiceField
        label={words.which}
        value={which}
        options={[
          { value: 'all', text: words.all },
          { value: 'only', text: words.only },
        ]}
        fault={fault?.problems.types ?? problems.types}
        onChange={setWhich}
      />
      {which === 'only' && (
        <fieldset className={styles.types} aria-label={words.kinds}>
          {allTypes.map((type) => (
            <CheckField
              key={type}
              label={words.types[type]}
              name={type}
              defaultChecked={known.includes(type)}
            />
          ))}
        </fieldset>
      )}
    </Form>
  )
}
