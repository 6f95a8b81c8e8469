import type { CofferError } from '@coffer/client'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { configQuery } from '../../api/account-queries.ts'
import { useChange } from '../../api/changes.ts'
import { coffer } from '../../api/client.ts'
import { type Fault, faultOf } from '../../api/faults.ts'
import { solveChallenge } from '../../api/proof-of-work.ts'
import { TextField } from '../../controls/field.tsx'
import { Form } from '../../controls/form.tsx'
import { PasswordField } from '../../controls/password-field.tsx'
import { usePreferences } from '../../preferences/preferences.ts'
import { signInWords } from '../../words/sign-in.ts'
import { useArrival } from './arrival.ts'
import { beginOnDevice, ForeignDevice } from './foreign-device.tsx'
import styles from './gate.module.css'
import { Gate } from './gate.tsx'
import { Resend } from './resend.tsx'

const route = getRouteApi('/login')

interface Stated {
  email: string
  password: string
  isForeignDevice: boolean
}

/** Sign-in by email address and password. The server may require a further step, such as a code. */
export function SignIn() {
  const { next, ended, deleted } = route.useSearch()
  const { data: config } = useQuery(configQuery)
  const isForeign = usePreferences().isForeign === true
  const navigate = useNavigate()
  const arrive = useArrival()
  const change = useChange(async ({ email, ...stated }: Stated) => {
    const solved = await solveChallenge('login', config?.proofOfWorkEnabled ?? false)
    const body = { ...stated, email: email.trim().toLowerCase(), ...solved }
    return await coffer.signIn({ body: body as Parameters<typeof coffer.signIn>[0]['body'] }).then(
      ({ data }) => ({ step: null, nextUrl: data.nextUrl, resetToken: undefined }),
      (error: unknown) => {
        const { code } = faultOf(error) ?? {}
        const { resetToken } = ((error as CofferError).body ?? {}) as { resetToken?: string }
        if (code === 'MFA_REQUIRED' || code === 'PASSWORD_CHANGE_REQUIRED') {
          return { step: code, nextUrl: undefined, resetToken }
        }
        throw error
      },
    )
  })
  const { fault, isSending } = change
  const submit = ({ email = '', password = '', foreign }: Record<string, string>) => {
    beginOnDevice({ foreign })
    change.send(
      { email, password, isForeignDevice: foreign !== undefined },
      ({ step, nextUrl, resetToken }) => {
        if (step === null) void arrive({ next, nextUrl })
        else if (resetToken) void navigate({ to: '/login/new-password', state: { resetToken } })
        else void navigate({ to: '/login/multifactor', search: { next } })
      },
    )
  }
  return (
    <Gate
      title={signInWords.signIn}
      ways={<OtherWays mayRegister={config?.allowSignUp ?? false} />}
    >
      {deleted && !fault && (
        <p role="status" className={styles.note}>
          {signInWords.deleted}
        </p>
      )}
      {ended && !fault && (
        <p className={styles.note}>{signInWords.ended({ isHere: ended === 'here', isForeign })}</p>
      )}
      <Form action={signInWords.signIn} isSending={isSending} fault={fault} onSubmit={submit}>
        {fault?.code === 'EMAIL_NOT_VERIFIED' && <Resend />}
        <TextField
          label={signInWords.email}
          name="email"
          type="email"
          autoComplete="username"
          autoCapitalize="none"
          fault={fault?.problems.email}
          required
        />
        <PasswordField autoComplete="current-password" fault={passwordFaultOf(fault)} />
        <ForeignDevice />
        {isSending && config?.proofOfWorkEnabled && <p role="status">{signInWords.working}</p>}
      </Form>
    </Gate>
  )
}

/** Shows a password of invalid length as a wrong password, because no such password exists. */
function passwordFaultOf(fault: Fault | null): string | undefined {
  const isOfLength = fault?.problemCodes.password === 'PASSWORD_LENGTH'
  return isOfLength ? signInWords.wrong : fault?.problems.password
}

function OtherWays({ mayRegister }: { mayRegister: boolean }) {
  return (
    <>
      <Link to="/login/forgot">{signInWords.forgotten}</Link>
      {mayRegister && (
        <p>
          {signInWords.noLogin} <Link to="/register">{signInWords.register}</Link>
        </p>
      )}
    </>
  )
}
