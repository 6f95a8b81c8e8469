import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useChange } from '../../api/changes.ts'
import { coffer } from '../../api/client.ts'
import { Button } from '../../controls/button.tsx'
import { Dialog } from '../../controls/dialog.tsx'
import { Form } from '../../controls/form.tsx'
import { PasswordField } from '../../controls/password-field.tsx'
import rows from '../../controls/rows.module.css'
import { Card } from '../../controls/screen.tsx'
import { settingsWords as words } from '../../words/settings.ts'

/** The end of the account, after the password and a look at what it deletes. */
export function DeleteAccount() {
  const navigate = useNavigate()
  const [isAsked, setAsked] = useState(false)
  const { send, isSending, fault } = useChange((currentPassword: string) =>
    coffer.deleteAccount({ body: { currentPassword } }),
  )
  return (
    <Card title={words.remove}>
      <div className={rows.toolbar}>
        <Button kind="danger" onClick={() => setAsked(true)}>
          {words.remove}
        </Button>
      </div>
      {isAsked && (
        <Dialog title={words.removeTitle} isOpen onClose={() => setAsked(false)}>
          <p>{words.removeText}</p>
          <Form
            action={words.removeDo}
            isSending={isSending}
            fault={fault}
            onSubmit={({ currentPassword = '' }) =>
              send(currentPassword, () => void navigate({ to: '/login', search: {} }))
            }
            others={<Button onClick={() => setAsked(false)}>{words.cancel}</Button>}
          >
            <PasswordField
              name="currentPassword"
              label={words.currentPassword}
              autoComplete="current-password"
              fault={fault?.problems.currentPassword}
            />
          </Form>
        </Dialog>
      )}
    </Card>
  )
}
