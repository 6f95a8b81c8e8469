import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { configQuery } from '../../api/account-queries.ts'
import { useChange } from '../../api/changes.ts'
import { coffer } from '../../api/client.ts'
import { solveChallenge } from '../../api/proof-of-work.ts'
import { LeaveGuard } from '../../controls/entries/leave-guard.tsx'
import { ChoiceField, TextField } from '../../controls/field.tsx'
import { Form } from '../../controls/form.tsx'
import { PasswordField } from '../../controls/password-field.tsx'
import { localeChoices, presentTimezone, timezoneChoices } from '../../controls/region-choices.ts'
import { signInWords } from '../../words/sign-in.ts'
import { useArrival } from './arrival.ts'
import { beginOnDevice, ForeignDevice } from './foreign-device.tsx'
import styles from './gate.module.css'
import { Gate } from './gate.tsx'

type Body = Parameters<typeof coffer.registerAccount>[0]['body']

/** Registration. Timezone and locale default to those of the browser. */
export function Register() {
  const { data: config } = useQuery(configQuery)
  const [mailedTo, setMailedTo] = useState<string | null>(null)
  const arrive = useArrival()
  const { send, fault, isSending } = useChange(async (values: Record<string, string>) => {
    const solved = await solveChallenge('register', config?.proofOfWorkEnabled ?? false)
    const { foreign, ...stated } = values
    const email = (values.email ?? '').trim().toLowerCase()
    const isForeignDevice = foreign !== undefined
    const body = { ...stated, email, isForeignDevice, ...solved } as Body
    return { email, ...(await coffer.registerAccount({ body })).data }
  })
  const submit = (values: Record<string, string>) => {
    beginOnDevice(values)
    send(values, ({ email, requireVerification, nextUrl }) => {
      if (requireVerification) setMailedTo(email)
      else void arrive({ nextUrl })
    })
  }
  const back = (
    <p>
      {signInWords.haveLogin}{' '}
      <Link to="/login" search={{}}>
        {signInWords.signIn}
      </Link>
    </p>
  )
  if (mailedTo !== null) {
    return (
      <Gate title={signInWords.verify} ways={back}>
        <p>{signInWords.verifyText({ email: mailedTo })}</p>
      </Gate>
    )
  }
  const problems = fault?.problems ?? {}
  return (
    <Gate title={signInWords.register} ways={back}>
      <LeaveGuard />
      {config?.allowSignUp === false && <p className={styles.note}>{signInWords.closed}</p>}
      <Form action={signInWords.register} isSending={isSending} fault={fault} onSubmit={submit}>
        <Names problems={problems} />
        <TextField
          label={signInWords.email}
          name="email"
          type="email"
          autoComplete="username"
          autoCapitalize="none"
          fault={problems.email}
          required
        />
        <PasswordField
          autoComplete="new-password"
          hint={signInWords.passwordHint}
          fault={problems.password}
        />
        {config?.requireBetaCode && (
          <TextField label={signInWords.betaCode} name="betaCode" fault={problems.betaCode} />
        )}
        <Region problems={problems} />
        <ForeignDevice />
        {isSending && config?.proofOfWorkEnabled && <p role="status">{signInWords.working}</p>}
      </Form>
    </Gate>
  )
}

interface PartProps {
  problems: Record<string, string>
}

function Names({ problems }: PartProps) {
  return (
    <div className={styles.pair}>
      <TextField
        label={signInWords.firstName}
        name="firstName"
        autoComplete="given-name"
        fault={problems.firstName}
        required
      />
      <TextField
        label={`${signInWords.lastName} (${signInWords.optional})`}
        name="lastName"
        autoComplete="family-name"
        fault={problems.lastName}
      />
    </div>
  )
}

function Region({ problems }: PartProps) {
  const { timeZone, locale } = new Intl.DateTimeFormat().resolvedOptions()
  return (
    <>
      <ChoiceField
        label={signInWords.timezone}
        hint={signInWords.timezoneHint}
        name="timezone"
        defaultValue={presentTimezone(timeZone)}
        options={timezoneChoices(timeZone)}
        fault={problems.timezone}
      />
      <ChoiceField
        label={signInWords.locale}
        hint={signInWords.localeHint}
        name="locale"
        defaultValue={locale}
        options={localeChoices(locale)}
        fault={problems.locale}
      />
    </>
  )
}
