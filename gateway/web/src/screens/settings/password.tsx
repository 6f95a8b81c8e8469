import { useState } from 'react'
import { useChange } from '../../api/changes.ts'
import { coffer } from '../../api/client.ts'
import { Form } from '../../controls/form.tsx'
import { PasswordField } from '../../controls/password-field.tsx'
import { Card } from '../../controls/screen.tsx'
import { settingsWords as words } from '../../words/settings.ts'

/** Changes the password. */
export function Password() {
  const [count, setCount] = useState(0)
  const { send, isSending, fault } = useChange((values: Record<string, string>) => {
    const { currentPassword = '', newPassword = '' } = values
    return coffer.changePassword({ body: { currentPassword, newPassword } })
  })
  return (
    <Card title={words.password}>
      {count > 0 && !fault && <p role="status">{words.changed}</p>}
      <Form
        // Keyed, so that the form is empty again after each change.
        key={count}
        action={words.change}
        isSending={isSending}
        fault={fault}
        onSubmit={(values) => send(values, () => setCount(count + 1))}
      >
        <PasswordField
          name="currentPassword"
          label={words.currentPassword}
          autoComplete="current-password"
          fault={fault?.problems.currentPassword}
        />
        <PasswordField
          name="newPassword"
          label={words.newPassword}
          hint={words.passwordHint}
          autoComplete="new-password"
          fault={fault?.problems.newPassword}
        />
      </Form>
    </Card>
  )
}
