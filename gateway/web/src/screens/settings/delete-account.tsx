import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { coffer } from '../../api/client.ts'
import { faultOf } from '../../api/faults.ts'
import { announceSignOut, forgetSession } from '../../api/query-client.ts'
import { Button } from '../../controls/button.tsx'
import { Dialog } from '../../controls/dialog.tsx'
import { Form } from '../../controls/form.tsx'
import { PasswordField } from '../../controls/password-field.tsx'
import rows from '../../controls/rows.module.css'
import { Card } from '../../controls/screen.tsx'
import { setPreferences } from '../../preferences/preferences.ts'
import { settingsWords as words } from '../../words/settings.ts'

/** Deletes the account, after a list of what is deleted and re-authentication by password. */
export function DeleteAccount() {
  const navigate = useNavigate()
  const [isAsked, setAsked] = useState(false)
  // `useMutation` instead of `useChange`, which would refetch answers of the deleted account.
  const { mutate, isPending, error } = useMutation({
    mutationFn: (currentPassword: string) => coffer.deleteAccount({ body: { currentPassword } }),
    onSuccess: async () => {
      announceSignOut()
      setPreferences({ isSignedIn: false })
      await navigate({ to: '/login', search: { deleted: true } })
      forgetSession()
    },
  })
  const fault = faultOf(error)
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
            isDanger
            isSending={isPending}
            fault={fault}
            onSubmit={({ currentPassword = '' }) => mutate(currentPassword)}
            onCancel={() => setAsked(false)}
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
