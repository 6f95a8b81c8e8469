import { useState } from 'react'
import type { User } from '../../api/account-queries.ts'
import { useChange } from '../../api/changes.ts'
import { coffer } from '../../api/client.ts'
import { ChoiceField, TextField } from '../../controls/field.tsx'
import { Form } from '../../controls/form.tsx'
import { PasswordField } from '../../controls/password-field.tsx'
import { localeChoices } from '../../controls/region-choices.ts'
import { Card } from '../../controls/screen.tsx'
import { settingsWords as words } from '../../words/settings.ts'

/** Names, language and email address of the user. */
export function Profile({ user }: { user: User }) {
  const { login, account } = user
  const [email, setEmail] = useState(login.email)
  const [isSaved, setSaved] = useState(false)
  const isMoved = email.trim().toLowerCase() !== login.email
  const { send, isSending, fault } = useChange((values: Record<string, string>) => {
    const { currentPassword, locale = '', ...names } = values
    const body = {
      firstName: names.firstName ?? '',
      lastName: names.lastName ?? '',
      ...(locale === localeOf(account.locale) ? {} : { locale }),
      ...(isMoved
        ? { email: email.trim().toLowerCase(), currentPassword: currentPassword ?? '' }
        : {}),
    }
    return coffer.updateMe({ body })
  })
  const problems = fault?.problems ?? {}
  return (
    <Card title={words.profile}>
      <Form
        action={words.save}
        isSending={isSending}
        fault={fault}
        onSubmit={(values) => send(values, () => setSaved(true))}
        others={isSaved && <p role="status">{words.saved}</p>}
      >
        <Names user={user} problems={problems} />
        <TextField
          label={words.email}
          hint={login.pendingEmail ? words.pending({ email: login.pendingEmail }) : words.emailHint}
          type="email"
          value={email}
          onChange={(event) => setEmail(event.target.value)}
          fault={problems.email}
        />
        {isMoved && (
          <PasswordField
            name="currentPassword"
            label={words.currentPassword}
            autoComplete="current-password"
            fault={problems.currentPassword}
          />
        )}
      </Form>
    </Card>
  )
}

interface NamesProps {
  user: User
  problems: Record<string, string>
}

function Names({ user: { login, account }, problems }: NamesProps) {
  return (
    <>
      <TextField
        label={words.firstName}
        name="firstName"
        defaultValue={login.firstName}
        fault={problems.firstName}
      />
      <TextField
        label={words.lastName}
        name="lastName"
        defaultValue={login.lastName}
        fault={problems.lastName}
      />
      <ChoiceField
        label={words.locale}
        hint={words.localeHint}
        name="locale"
        defaultValue={localeOf(account.locale)}
        options={localeChoices(localeOf(account.locale))}
        fault={problems.locale}
      />
    </>
  )
}

function localeOf(stored: string): string {
  return stored.replace('_', '-')
}
