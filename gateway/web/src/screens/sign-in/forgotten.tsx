import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { configQuery } from '../../api/account-queries.ts'
import { useChange } from '../../api/changes.ts'
import { coffer } from '../../api/client.ts'
import { solveChallenge } from '../../api/proof-of-work.ts'
import { TextField } from '../../controls/field.tsx'
import { Form } from '../../controls/form.tsx'
import { signInWords } from '../../words/sign-in.ts'
import { Gate } from './gate.tsx'

type Body = Parameters<typeof coffer.requestPasswordReset>[0]['body']

/**
 * Requests a mail with a link for a new password. The server answers the same for unknown
 * addresses.
 */
export function Forgotten() {
  const { data: config } = useQuery(configQuery)
  const [isSent, setSent] = useState(false)
  const { send, isSending, fault } = useChange(async (typed: string) => {
    const solved = await solveChallenge('forgot', config?.proofOfWorkEnabled ?? false)
    const body = { email: typed.trim().toLowerCase(), ...solved } as Body
    return await coffer.requestPasswordReset({ body })
  })
  const back = (
    <Link to="/login" search={{}}>
      {signInWords.signIn}
    </Link>
  )
  if (isSent) {
    return (
      <Gate title={signInWords.verify} ways={back}>
        <p role="status">{signInWords.resetSent}</p>
      </Gate>
    )
  }
  return (
    <Gate title={signInWords.forgottenTitle} ways={back}>
      {config?.allowForgotPassword === false ? (
        <p>{signInWords.resetOff}</p>
      ) : (
        <Form
          action={signInWords.resetSend}
          isSending={isSending}
          fault={fault}
          onSubmit={({ email = '' }) => send(email, () => setSent(true))}
        >
          <TextField
            label={signInWords.email}
            name="email"
            type="email"
            autoComplete="username"
            autoCapitalize="none"
            fault={fault?.problems.email}
          />
          {isSending && config?.proofOfWorkEnabled && <p role="status">{signInWords.working}</p>}
        </Form>
      )}
    </Gate>
  )
}
