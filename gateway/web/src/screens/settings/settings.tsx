import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { configQuery, meQuery } from '../../api/account-queries.ts'
import { useChange } from '../../api/changes.ts'
import { coffer } from '../../api/client.ts'
import { Button } from '../../controls/button.tsx'
import { FaultBanner } from '../../controls/form.tsx'
import rows from '../../controls/rows.module.css'
import { Card, Facts, Screen } from '../../controls/screen.tsx'
import { settingsWords as words } from '../../words/settings.ts'
import { webhookWords } from '../../words/webhooks.ts'
import { ApiKeys } from './api-keys.tsx'
import { DeleteAccount } from './delete-account.tsx'
import { ExportAccount } from './export-account.tsx'
import { Language } from './language.tsx'
import { Password } from './password.tsx'
import { Profile } from './profile.tsx'
import { SecondFactor } from './second-factor.tsx'
import { Sessions } from './sessions.tsx'
import { ThisDevice } from './this-device.tsx'
import { Timezone } from './timezone.tsx'

/** Settings of the person and the account. */
export function Settings() {
  const { user } = useSuspenseQuery(meQuery).data
  return (
    <Screen title={words.title} help="settings" isNarrow>
      <Profile user={user} />
      <Language />
      <Timezone timezone={user.account.timezone} />
      <Password />
      {user.login.totpEnabledAt !== undefined && (
        <SecondFactor isOn={user.login.totpEnabledAt !== null} />
      )}
      <Sessions />
      <ApiKeys />
      <Card title={webhookWords.title}>
        <p>{webhookWords.text}</p>
        <p>
          <Link to="/webhooks">{webhookWords.open}</Link>
        </p>
      </Card>
      <Billing />
      <ExportAccount />
      <DeleteAccount />
      <ThisDevice />
      <About />
    </Screen>
  )
}

function Billing() {
  const { data: config } = useQuery(configQuery)
  const { hasSubscription } = useSuspenseQuery(meQuery).data
  const { send, isSending, fault } = useChange(async () => {
    return (await coffer.getBillingPortal()).data.url
  })
  if (!config?.billingEnabled || !hasSubscription) return null
  return (
    <Card title={words.billing}>
      {fault && <FaultBanner fault={fault} />}
      <div className={rows.toolbar}>
        <Button isBusy={isSending} onClick={() => send(undefined, (url) => location.assign(url))}>
          {words.manageBilling}
        </Button>
      </div>
    </Card>
  )
}

function About() {
  const { data: config } = useQuery(configQuery)
  const facts = [
    [words.release, config?.release],
    [words.revision, config?.revision],
  ] as const
  return (
    <Card title={words.about}>
      <Facts facts={facts} />
      <p>
        <Link to="/licences">{words.licencesLink}</Link>
      </p>
    </Card>
  )
}
