import { useQueries, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { bankAccountsQuery } from '../api/account-queries.ts'
import { spendingQuery } from '../api/budget-queries.ts'
import { tagsQuery } from '../api/tag-queries.ts'
import { setPreferences, usePreferences } from '../preferences/preferences.ts'
import { frameWords, type HelpName, helpWords, keyWords } from '../words/frame.ts'
import { useChosenAccountId } from './chosen-account.ts'
import { paletteRank } from './palette-rank.ts'
import { places } from './places.ts'
import { useSignOut } from './sign-out.ts'

/** Maximum number of bank accounts whose envelopes are searched: each takes one request. */
const accountsMax = 20

/** An entry of the palette. */
export interface Entry {
  key: string
  text: string
  about: string
  /** Whether `act` changes the searched text, so that the palette stays open. */
  isSearch?: boolean
  act: () => void
}

/**
 * Returns all entries that match a text, best match first: screens, actions, objects of the
 * account, and help pages.
 */
export function useOwnEntries(text: string): Entry[] {
  const all = [
    ...useScreens(),
    ...useActions(),
    ...useAccounts(),
    ...useEnvelopes(),
    ...useTags(),
    ...useHelp(),
  ]
  return all
    .map((entry) => ({ entry, rank: paletteRank(text, entry.text) }))
    .filter(({ rank }) => rank > 0)
    .toSorted((a, b) => b.rank - a.rank)
    .map(({ entry }) => entry)
}

function useScreens(): Entry[] {
  const navigate = useNavigate()
  const { screens } = keyWords
  const others = [
    { to: '/history', text: screens.history },
    { to: '/setup', text: screens.setup },
    { to: '/account/subscribe', text: screens.subscription },
    { to: '/licences', text: screens.licences },
  ] as const
  return [...places, ...others].map(({ to, text }) => ({
    key: to,
    text,
    about: keyWords.screen,
    act: () => void navigate({ to }),
  }))
}

function useActions(): Entry[] {
  const navigate = useNavigate()
  const signOut = useSignOut()
  const { areAmountsHidden } = usePreferences()
  const account = useChosenAccountId()
  const open = (to: '/transactions' | '/envelopes' | '/schedules' | '/rules', opened: string) =>
    void navigate({ to, state: { opened } })
  const { actions } = keyWords
  const ofAccount = [
    [actions.add, () => open('/transactions', 'transaction')],
    [actions.move, () => open('/envelopes', 'move')],
    [actions.envelope, () => open('/envelopes', 'envelope')],
    [actions.payday, () => open('/schedules', 'payday')],
  ] as const
  const others = [
    [actions.rule, () => open('/rules', 'rule')],
    [
      areAmountsHidden ? frameWords.showAmounts : frameWords.hideAmounts,
      () => setPreferences({ areAmountsHidden: !areAmountsHidden }),
    ],
    ...(['light', 'dark', 'system'] as const).map(
      (theme) =>
        [
          actions.colours({ name: frameWords.themes[theme] }),
          () => setPreferences({ theme }),
        ] as const,
    ),
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
  const asked = accounts.slice(0, accountsMax)
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
