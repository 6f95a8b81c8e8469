import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { configQuery } from '../../api/account-queries.ts'
import { useChange } from '../../api/changes.ts'
import { coffer } from '../../api/client.ts'
import { solveChallenge } from '../../api/proof-of-work.ts'
import { TextField } from '../../controls/field.tsx'
import { Form } from '../../controls/form.tsx'
import { signInWords as words } from '../../words/sign-in.ts'
import { Gate } from './gate.tsx'

type Body = Parameters<typeof coffer.resendVerificationMail>[0]['body']

/** Requests another verification mail; the server answers the same for unknown addresses. */
export function Verification() {
  const { data: config } = useQuery(configQuery)
  const [isSent, setSent] = useState(false)
  const { send, isSending, fault } = useChange(async (typed: string) => {
    const solved = await solveChallenge('resend', config?.proofOfWorkEnabled ?? false)
    const body = { email: typed.trim().toLowerCase(), ...solved } as Body
    return await coffer.resendVerificationMail({ body })
  })
  const back = (
    <Link to="/login" search={{}}>
      {words.signIn}
    </Link>
  )
  return (
    <Gate title={isSent ? words.verify : words.resendTitle} ways={back}>
      {isSent ? (
        <p role="status">{words.resent}</p>
      ) : (
        <Form
          action={words.resend}
          isSending={isSending}
          fault={fault}
          onSubmit={({ email = '' }) => send(email, () => setSent(true))}
        >
          <TextField
            label={words.email}
            name="email"
            type="email"
            autoComplete="username"
            autoCapitalize="none"
            fault={fault?.problems.email}
          />
          {isSending && config?.proofOfWorkEnabled && <p role="status">{words.working}</p>}
        </Form>
      )}
    </Gate>
  )
}
