import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { configQuery, meQuery } from '../../api/account-queries.ts'
import { useChange } from '../../api/changes.ts'
import { coffer } from '../../api/client.ts'
import { Button } from '../../controls/button.tsx'
import { FaultBanner } from '../../controls/form.tsx'
import rows from '../../controls/rows.module.css'
import { Card, Facts, Screen } from '../../controls/screen.tsx'
import { hasCaches } from '../../offline/erasure.ts'
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
import styles from './settings.module.css'
import { ThisDevice } from './this-device.tsx'
import { Timezone } from './timezone.tsx'

interface Part {
  /** Its anchor in the URL. */
  id: string
  title: string
  part: ReactNode
}

/** Settings of the user and the account, with a table of contents. */
export function Settings() {
  const parts = useParts()
  return (
    <Screen title={words.title} help="settings" isNarrow>
      <nav aria-label={words.contents}>
        <ul className={styles.index}>
          {parts.map(({ id, title }) => (
            <li key={id}>
              <a href={`#${id}`}>{title}</a>
            </li>
          ))}
        </ul>
      </nav>
      {parts.map(({ id, part }) => (
        <div key={id} id={id} className={styles.part}>
          {part}
        </div>
      ))}
    </Screen>
  )
}

function useParts(): Part[] {
  const { user, hasSubscription, recoveryCodesLeft } = useSuspenseQuery(meQuery).data
  const { data: config } = useQuery(configQuery)
  const { totpEnabledAt } = user.login
  const factor = { isKnown: totpEnabledAt !== undefined, isOn: totpEnabledAt !== null }
  const isBilled = config?.billingEnabled && hasSubscription
  const { timezone } = user.account
  const parts: (Part | false | undefined)[] = [
    { id: 'you', title: words.profile, part: <Profile user={user} /> },
    { id: 'language', title: words.language, part: <Language /> },
    { id: 'timezone', title: words.timezone, part: <Timezone timezone={timezone} /> },
    { id: 'password', title: words.password, part: <Password /> },
    factor.isKnown && {
      id: 'second-factor',
      title: words.secondFactor,
      part: <SecondFactor isOn={factor.isOn} codesLeft={recoveryCodesLeft ?? null} />,
    },
    { id: 'sessions', title: words.sessions, part: <Sessions /> },
    { id: 'api-keys', title: words.keys, part: <ApiKeys /> },
    { id: 'webhooks', title: webhookWords.title, part: <Webhooks /> },
    isBilled && { id: 'billing', title: words.billing, part: <Billing /> },
    { id: 'data', title: words.export, part: <ExportAccount /> },
    hasCaches() && { id: 'device', title: words.device, part: <ThisDevice /> },
    { id: 'delete', title: words.remove, part: <DeleteAccount /> },
    { id: 'about', title: words.about, part: <About /> },
  ]
  return parts.filter((one) => typeof one === 'object')
}

function Webhooks() {
  return (
    <Card title={webhookWords.title}>
      <p>{webhookWords.text}</p>
      <p>
        <Link to="/webhooks">{webhookWords.open}</Link>
      </p>
    </Card>
  )
}

function Billing() {
  const { send, isSending, fault } = useChange(async () => {
    return (await coffer.getBillingPortal()).data.url
  })
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
