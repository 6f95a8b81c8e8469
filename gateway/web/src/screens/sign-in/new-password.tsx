import { useNavigate, useRouterState } from '@tanstack/react-router'
import { useChange } from '../../api/changes.ts'
import { coffer } from '../../api/client.ts'
import { Form } from '../../controls/form.tsx'
import { PasswordField } from '../../controls/password-field.tsx'
import { signInWords } from '../../words/sign-in.ts'
import { Gate } from './gate.tsx'

/** Sets the password that a sign-in requires first. Its token is in the history state alone. */
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
