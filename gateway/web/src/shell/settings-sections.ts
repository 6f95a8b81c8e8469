import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { configQuery, meQuery } from '../api/account-queries.ts'
import { hasCaches } from '../offline/erasure.ts'
import { settingsWords as words } from '../words/settings.ts'
import { webhookWords } from '../words/webhooks.ts'

const sections = [
  { id: 'you', title: words.profile },
  { id: 'language', title: words.language },
  { id: 'timezone', title: words.timezone },
  { id: 'password', title: words.password },
  { id: 'second-factor', title: words.secondFactor },
  { id: 'sessions', title: words.sessions },
  { id: 'api-keys', title: words.keys },
  { id: 'webhooks', title: webhookWords.title },
  { id: 'billing', title: words.billing },
  { id: 'data', title: words.export },
  { id: 'device', title: words.device },
  { id: 'delete', title: words.remove },
  { id: 'about', title: words.about },
] as const

/** Anchor of a section of the settings in the URL. */
export type SectionId = (typeof sections)[number]['id']

/** Returns the sections of the settings that this user and server have, in order. */
export function useSettingsSections(): { id: SectionId; title: string }[] {
  const { user, hasSubscription } = useSuspenseQuery(meQuery).data
  const { data: config } = useQuery(configQuery)
  const isAbsent: Partial<Record<SectionId, boolean>> = {
    'second-factor': user.login.totpEnabledAt === undefined,
    billing: !(config?.billingEnabled && hasSubscription),
    device: !hasCaches(),
  }
  return sections.filter(({ id }) => !isAbsent[id])
}
