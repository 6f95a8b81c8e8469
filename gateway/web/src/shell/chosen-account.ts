import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { bankAccountsQuery, linksQuery, meQuery } from '../api/account-queries.ts'
import type { Manner } from '../format/currency.ts'
import { dayOf, type Place } from '../format/days.ts'
import { usePreferences } from '../preferences/preferences.ts'

/** Returns the ID of the bank account in the URL, else the last chosen one, else the first. */
export function useChosenAccountId(): string | null {
  const accounts = useQuery(bankAccountsQuery).data ?? []
  const { account } = useSearch({ strict: false })
  const { bankAccountId } = usePreferences()
  const ids = accounts.map((one) => one.bankAccountId)
  return [account, bankAccountId].find((id) => ids.includes(id ?? '')) ?? ids[0] ?? null
}

/** How days and amounts are written for the reader: locale, timezone of the account, today. */
export interface Reader extends Place {
  today: string
  currencyDefault: string
}

/** Returns how days are written for the person who is signed in. */
export function useReader(): Reader {
  const { user, defaultCurrency } = useSuspenseQuery(meQuery).data
  const { timezone, locale } = user.account
  return {
    locale: locale.replace('_', '-'),
    timezone,
    today: dayOf(new Date(), timezone),
    currencyDefault: defaultCurrency,
  }
}

/** Returns how amounts of a bank account are written; the default currency where it is unknown. */
export function useManner(bankAccountId: string): Manner {
  const { locale, currencyDefault } = useReader()
  const accounts = useQuery(bankAccountsQuery).data ?? []
  const account = accounts.find((one) => one.bankAccountId === bankAccountId)
  return { locale, currency: account?.currency ?? currencyDefault }
}

/** Returns whether a bank account is kept by hand: its transactions are then the person's own. */
export function useIsManual(bankAccountId: string): boolean {
  const accounts = useQuery(bankAccountsQuery).data ?? []
  const links = useQuery(linksQuery).data ?? []
  const account = accounts.find((one) => one.bankAccountId === bankAccountId)
  return links.some(({ linkId, linkType }) => linkId === account?.linkId && linkType === 'manual')
}
