import { useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { meQuery } from '../../api/account-queries.ts'
import { useChange } from '../../api/changes.ts'
import { coffer } from '../../api/client.ts'
import { showNote } from '../../api/notes.ts'
import { Button } from '../../controls/button.tsx'
import { Form } from '../../controls/form.tsx'
import { CodeField } from '../../controls/password-field.tsx'
import { readCode } from '../../format/typed-code.ts'
import { fewCodesMax, settingsWords } from '../../words/settings.ts'
import { signInWords } from '../../words/sign-in.ts'
import { useArrival } from './arrival.ts'
import { Gate } from './gate.tsx'

const route = getRouteApi('/login/multifactor')

/** Second step of the sign-in: a TOTP code or a recovery code. */
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
  const noteCodes = useCodesNote()
  const submit = ({ totp = '' }: Record<string, string>) =>
    send(totp, async ({ nextUrl }) => {
      await arrive({ next, nextUrl })
      if (!/^\d{6}$/.test(readCode(totp))) await noteCodes()
    })
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
        <CodeField
          ref={field}
          label={byRecovery ? signInWords.recoveryCode : signInWords.code}
          inputMode={byRecovery ? 'text' : 'numeric'}
          fault={fault?.problems.totp}
        />
      </Form>
    </Gate>
  )
}

/**
 * Returns a function that shows the number of unused recovery codes, with a link to create new
 * ones.
 */
function useCodesNote(): () => Promise<void> {
  const cache = useQueryClient()
  const navigate = useNavigate()
  return async () => {
    const { recoveryCodesLeft } = await cache.ensureQueryData(meQuery)
    const count = recoveryCodesLeft ?? null
    if (count === null) return
    const isUrgent = count <= fewCodesMax
    const text = isUrgent ? settingsWords.codesFew({ count }) : settingsWords.codesLeft({ count })
    const work = () => navigate({ to: '/settings', hash: 'second-factor' })
    showNote({ text, act: { text: settingsWords.replace, work }, isUrgent })
  }
}
