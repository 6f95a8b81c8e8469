import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { meQuery } from '../../api/account-queries.ts'
import { coffer } from '../../api/client.ts'
import { faultOf } from '../../api/faults.ts'
import { announceSignOut, forgetSession } from '../../api/query-client.ts'
import { Button } from '../../controls/button.tsx'
import { Dialog } from '../../controls/dialog.tsx'
import { Form } from '../../controls/form.tsx'
import { CodeField, PasswordField } from '../../controls/password-field.tsx'
import rows from '../../controls/rows.module.css'
import { Card } from '../../controls/screen.tsx'
import { readCode } from '../../format/typed-code.ts'
import { setPreferences } from '../../preferences/preferences.ts'
import { settingsWords as words } from '../../words/settings.ts'

type Proof = Parameters<typeof coffer.deleteAccount>[0]['body']

/**
 * Deletes the account, after a list of what is deleted and re-authentication by password; with an
 * authenticator also by code.
 */
export function DeleteAccount() {
  const navigate = useNavigate()
  const { data: me } = useQuery(meQuery)
  const hasCodes = me?.user.login.totpEnabledAt !== null
  const [isAsked, setAsked] = useState(false)
  // `useMutation` instead of `useChange`, which would refetch answers of the deleted account.
  const { mutate, isPending, error } = useMutation({
    mutationFn: (body: Proof) => coffer.deleteAccount({ body }),
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
            onSubmit={({ currentPassword = '', totp }) =>
              mutate(
                totp === undefined
                  ? { currentPassword }
                  : { currentPassword, totp: readCode(totp) },
              )
            }
            onCancel={() => setAsked(false)}
          >
            <PasswordField
              name="currentPassword"
              label={words.currentPassword}
              autoComplete="current-password"
              fault={fault?.problems.currentPassword}
            />
            {hasCodes && <CodeField fault={fault?.problems.totp} />}
          </Form>
        </Dialog>
      )}
    </Card>
  )
}
