import { useState } from 'react'
import { useChange } from '../../api/changes.ts'
import { coffer } from '../../api/client.ts'
import { ChoiceField } from '../../controls/field.tsx'
import { Form } from '../../controls/form.tsx'
import { PasswordField } from '../../controls/password-field.tsx'
import { timezoneChoices } from '../../controls/region-choices.ts'
import { Card } from '../../controls/screen.tsx'
import { settingsWords as words } from '../../words/settings.ts'

/**
 * The timezone of the account. A change keeps the calendar day of every transaction and due date.
 */
export function Timezone({ timezone }: { timezone: string }) {
  const [isSaved, setSaved] = useState(false)
  const { send, isSending, fault } = useChange((values: Record<string, string>) => {
    const { timezone: wanted = '', currentPassword = '' } = values
    return coffer.changeTimezone({ body: { timezone: wanted, currentPassword } })
  })
  return (
    <Card title={words.timezone}>
      {isSaved && !fault && <p role="status">{words.saved}</p>}
      <Form
        // Keyed, so that the form is empty again after each change.
        key={timezone}
        action={words.changeTimezone}
        isSending={isSending}
        fault={fault}
        onSubmit={(values) => send(values, () => setSaved(true))}
      >
        <ChoiceField
          label={words.timezone}
          hint={words.timezoneHint}
          name="timezone"
          defaultValue={timezone}
          options={timezoneChoices(timezone)}
          fault={fault?.problems.timezone}
        />
        <PasswordField
          name="currentPassword"
          label={words.currentPassword}
          autoComplete="current-password"
          fault={fault?.problems.currentPassword}
        />
      </Form>
    </Card>
  )
}
