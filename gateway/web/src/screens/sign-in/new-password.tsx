import { useNavigate, useRouterState } from '@tanstack/react-router'
import { useChange } from '../../api/changes.ts'
import { coffer } from '../../api/client.ts'
import { Form } from '../../controls/form.tsx'
import { PasswordField } from '../../controls/password-field.tsx'
import { signInWords } from '../../words/sign-in.ts'
import { Gate } from './gate.tsx'

/**
 * Sets a new password if the server requires one at the sign-in. The one-time token for it is only
 * in the history state, never in the URL.
 */
export function NewPassword() {
  const navigate = useNavigate()
  const state = useRouterState({ select: ({ location }) => location.state })
  const { send, isSending, fault } = useChange((password: string) =>
    coffer.resetPassword({ body: { token: state.resetToken ?? '', password } }),
  )
  return (
    <Gate title={signInWords.newPassword}>
      <p>{signInWords.newPasswordText}</p>
      <Form
        action={signInWords.newPassword}
        isSending={isSending}
        fault={fault}
        onSubmit={({ password = '' }) =>
          send(password, () => void navigate({ to: '/login', search: {} }))
        }
      >
        <PasswordField
          autoComplete="new-password"
          hint={signInWords.passwordHint}
          fault={fault?.problems.password}
        />
      </Form>
    </Gate>
  )
}
