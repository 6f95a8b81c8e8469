import { useQueries, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { bankAccountsQuery, configQuery } from '../../api/account-queries.ts'
import { spendingQuery } from '../../api/budget-queries.ts'
import { tagsQuery } from '../../api/tag-queries.ts'
import { basePath } from '../../base-path.ts'
import { setPreferences, usePreferences } from '../../preferences/preferences.ts'
import { accountWords } from '../../words/accounts.ts'
import { billingWords } from '../../words/billing.ts'
import { frameWords, type HelpName, helpWords, keyWords } from '../../words/frame.ts'
import { historyWords } from '../../words/history.ts'
import { settingsWords } from '../../words/settings.ts'
import { startWords } from '../../words/start.ts'
import { webhookWords } from '../../words/webhooks.ts'
import { useChosenAccountId } from '../chosen-account.ts'
import { more, places } from '../places.ts'
import { useSettingsSections } from '../settings-sections.ts'
import { useSignOut } from '../sign-out.ts'
import { paletteRank } from './palette-rank.ts'

/** Further words by which screens and sections are found, by path or anchor. */
const finds: Record<string, string> = keyWords.finds

/** Maximum number of bank accounts whose envelopes are searched: each takes one request. */
export const searchedAccountsMax = 20

/** An entry of the palette. */
export interface Entry {
  key: string
  text: string
  about: string
  /** Whether `act` changes the searched text, so that the palette stays open. */
  isSearch?: boolean
  act: () => void
}

/** An entry with further words by which it is found. */
interface OwnEntry extends Entry {
  finds?: string | undefined
}

/**
 * Returns all entries that match a text, best match first: screens, sections of the settings,
 * actions, objects of the account, and help pages.
 */
export function useOwnEntries(text: string, openKeys: () => void): Entry[] {
  const all: OwnEntry[] = [
    ...useScreens(),
    ...useActions(openKeys),
    ...useSections(),
    ...useAccounts(),
    ...useEnvelopes(),
    ...useTags(),
    ...useHelp(),
  ]
  return all
    .map((entry) => ({ entry, rank: paletteRank(text, entry.text, entry.finds) }))
    .filter(({ rank }) => rank > 0)
    .toSorted((a, b) => b.rank - a.rank)
    .map(({ entry }) => entry)
}

function useScreens(): OwnEntry[] {
  const navigate = useNavigate()
  const { data: accounts = [] } = useQuery(bankAccountsQuery)
  const { data: config } = useQuery(configQuery)
  const isFirst = accounts.length === 0
  const feed = { to: '/links/feed', text: accountWords.byFeed } as const
  const plan = { to: '/setup/plan', text: startWords.planTitle } as const
  const others = [
    { to: '/history', text: historyWords.title },
    { to: '/setup', text: isFirst ? startWords.title : startWords.titleFurther },
    { to: '/webhooks', text: webhookWords.title },
    { to: '/account/subscribe', text: billingWords.title },
    { to: '/licences', text: settingsWords.licences },
  ] as const
  const all = [...places, ...others, ...(config?.feedEnabled ? [feed] : []), more]
  return [...all, ...(isFirst ? [] : [plan])].map(({ to, text }) => ({
    key: to,
    text,
    about: keyWords.screen,
    finds: finds[to],
    act: () => void navigate({ to }),
  }))
}

function useSections(): OwnEntry[] {
  const navigate = useNavigate()
  return useSettingsSections().map(({ id, title }) => ({
    key: id,
    text: title,
    about: frameWords.settings,
    finds: finds[id],
    act: () => void navigate({ to: '/settings', hash: id }),
  }))
}

function useActions(openKeys: () => void): OwnEntry[] {
  const navigate = useNavigate()
  const signOut = useSignOut()
  const { areAmountsHidden } = usePreferences()
  const { data: config } = useQuery(configQuery)
  const account = useChosenAccountId()
  const open = (to: '/transactions' | '/envelopes' | '/schedules' | '/rules', opened: string) =>
    void navigate({ to, state: { opened } })
  const { actions } = keyWords
  const ofAccount = [
    [actions.add, () => open('/transactions', 'transaction')],
    [actions.move, () => open('/envelopes', 'move')],
    [actions.envelope, () => open('/envelopes', 'envelope')],
    [actions.payday, () => open('/schedules', 'payday')],
    [actions.deleted, () => void navigate({ to: '/transactions', search: { deleted: true } })],
  ] as const
  const connect = [accountWords.byBank, () => location.assign(`${basePath}links/connect`)] as const
  const themes = (['light', 'dark', 'system'] as const).map((theme) => {
    const text = actions.colours({ name: frameWords.themes[theme] })
    return [text, () => setPreferences({ theme })] as const
  })
  const others = [
    [actions.rule, () => open('/rules', 'rule')],
    [accountWords.add, () => void navigate({ to: '/setup' })],
    ...(config?.aggregatorEnabled ? [connect] : []),
    [webhookWords.add, () => void navigate({ to: '/webhooks', state: { opened: 'webhook' } })],
    [
      areAmountsHidden ? frameWords.showAmounts : frameWords.hideAmounts,
      () => setPreferences({ areAmountsHidden: !areAmountsHidden }),
    ],
    ...themes,
    [frameWords.keyboard, openKeys],
    [frameWords.signOut, signOut],
  ] as const
  return [...(account ? ofAccount : []), ...others].map(([text, act]) => ({
    key: `act-${text}`,
    text,
    about: keyWords.action,
    act,
  }))
}

function useAccounts(): Entry[] {
  const navigate = useNavigate()
  const { data: accounts = [] } = useQuery(bankAccountsQuery)
  return accounts.map(({ bankAccountId, name }) => ({
    key: bankAccountId,
    text: name,
    about: frameWords.account,
    act: () => {
      setPreferences({ bankAccountId })
      void navigate({ to: '/', search: { account: bankAccountId } })
    },
  }))
}

/** The envelopes of all bank accounts. */
function useEnvelopes(): Entry[] {
  const navigate = useNavigate()
  const { data: accounts = [] } = useQuery(bankAccountsQuery)
  const asked = accounts.slice(0, searchedAccountsMax)
  const found = useQueries({ queries: asked.map((one) => spendingQuery(one.bankAccountId)) })
  return found.flatMap(({ data = [] }, at) =>
    data.map(({ spendingId, name, bankAccountId }) => ({
      key: spendingId,
      text: name,
      about: [keyWords.envelope, accounts.length > 1 ? asked[at]?.name : '']
        .filter(Boolean)
        .join(' · '),
      act: () =>
        void navigate({
          to: '/envelopes/$spendingId',
          params: { spendingId },
          search: { account: bankAccountId },
        }),
    })),
  )
}

function useTags(): Entry[] {
  const navigate = useNavigate()
  const { data: tags = [] } = useQuery(tagsQuery)
  return tags.map(({ name }) => ({
    key: `tag-${name}`,
    text: name,
    about: keyWords.tag,
    act: () => void navigate({ to: '/transactions', search: { tag: name } }),
  }))
}

function useHelp(): Entry[] {
  const navigate = useNavigate()
  return Object.entries(helpWords.pages).map(([page, text]) => ({
    key: `help-${page}`,
    text,
    about: frameWords.help,
    act: () => void navigate({ to: '/help/$page', params: { page: page as HelpName } }),
  }))
}
