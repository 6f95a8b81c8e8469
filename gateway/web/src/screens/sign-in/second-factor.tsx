import { getRouteApi, Link } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { useChange } from '../../api/changes.ts'
import { coffer } from '../../api/client.ts'
import { Button } from '../../controls/button.tsx'
import { TextField } from '../../controls/field.tsx'
import { Form } from '../../controls/form.tsx'
import { readCode } from '../../format/typed-code.ts'
import { signInWords } from '../../words/sign-in.ts'
import { useArrival } from './arrival.ts'
import { Gate } from './gate.tsx'

const route = getRouteApi('/login/multifactor')

/** The second step of a sign-in: a code of the authenticator, or a recovery code. */
export function SecondFactor() {
  const { next } = route.useSearch()
  const [byRecovery, setByRecovery] = useState(false)
  const arrive = useArrival()
  const field = useRef<HTMLInputElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the other way has another field
  useEffect(() => field.current?.focus(), [byRecovery])
  const change = useChange(async (totp: string) => {
    return (await coffer.completeSignIn({ body: { totp: readCode(totp) } })).data
  })
  const { send, isSending, reset } = change
  const isWrongCode = byRecovery && change.fault?.code === 'CODE_WRONG'
  const fault =
    change.fault && isWrongCode
      ? { ...change.fault, text: signInWords.recoveryWrong }
      : change.fault
  const submit = ({ totp = '' }: Record<string, string>) =>
    send(totp, ({ nextUrl }) => arrive({ next, nextUrl }))
  const other = (
    <Button
      kind="quiet"
      onClick={() => {
        reset()
        setByRecovery(!byRecovery)
      }}
    >
      {byRecovery ? signInWords.authenticator : signInWords.recovery}
    </Button>
  )
  return (
    <Gate
      title={signInWords.secondFactor}
      ways={
        <Link to="/login" search={{}}>
          {signInWords.startAgain}
        </Link>
      }
    >
      <p>{byRecovery ? signInWords.recoveryText : signInWords.secondFactorText}</p>
      <Form
        key={String(byRecovery)}
        action={signInWords.continue}
        isSending={isSending}
        fault={fault}
        onSubmit={submit}
        others={other}
      >
        <TextField
          ref={field}
          label={byRecovery ? signInWords.recoveryCode : signInWords.code}
          name="totp"
          inputMode={byRecovery ? 'text' : 'numeric'}
          autoComplete="one-time-code"
          autoCapitalize="none"
          spellCheck={false}
          fault={fault?.problems.totp}
          required
        />
      </Form>
    </Gate>
  )
}
