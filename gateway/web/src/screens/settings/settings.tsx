import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { Link, useLocation } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import { configQuery, meQuery } from '../../api/account-queries.ts'
import { useChange } from '../../api/changes.ts'
import { coffer } from '../../api/client.ts'
import { Button } from '../../controls/button.tsx'
import { FaultBanner } from '../../controls/form.tsx'
import rows from '../../controls/rows.module.css'
import { Card, Facts, Screen } from '../../controls/screen.tsx'
import { type SectionId, useSettingsSections } from '../../shell/settings-sections.ts'
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

/** Settings of the user and the account, with a table of contents. */
export function Settings() {
  const parts = useParts()
  const sections = useSettingsSections()
  const { hash } = useLocation()
  // The palette and links lead to a section: the focus goes there, after that to the heading.
  useEffect(() => {
    if (hash) document.getElementById(hash)?.focus()
  }, [hash])
  return (
    <Screen title={words.title} help="settings" isNarrow>
      <nav aria-label={words.contents}>
        <ul className={styles.index}>
          {sections.map(({ id, title }) => (
            <li key={id}>
              <a href={`#${id}`}>{title}</a>
            </li>
          ))}
        </ul>
      </nav>
      {sections.map(({ id }) => (
        <div key={id} id={id} tabIndex={-1} className={styles.part}>
          {parts[id]}
        </div>
      ))}
    </Screen>
  )
}

/** Returns the contents of the sections. */
function useParts(): Record<SectionId, ReactNode> {
  const { user, recoveryCodesLeft } = useSuspenseQuery(meQuery).data
  const isFactorOn = user.login.totpEnabledAt != null
  return {
    you: <Profile user={user} />,
    language: <Language />,
    timezone: <Timezone timezone={user.account.timezone} />,
    password: <Password />,
    'second-factor': <SecondFactor isOn={isFactorOn} codesLeft={recoveryCodesLeft ?? null} />,
    sessions: <Sessions />,
    'api-keys': <ApiKeys />,
    webhooks: <Webhooks />,
    billing: <Billing />,
    data: <ExportAccount />,
    device: <ThisDevice />,
    delete: <DeleteAccount />,
    about: <About />,
  }
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
