import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import {
  type BankAccount,
  bankAccountsQuery,
  type Link,
  linksQuery,
  meQuery,
} from '../api/account-queries.ts'
import type { Manner } from '../format/currency.ts'
import { dayOf, type Place } from '../format/days.ts'
import { isDebt, type Rest, restOf } from '../format/debts.ts'
import { usePreferences } from '../preferences/preferences.ts'
import { language } from '../words/languages/texts.ts'

/** Returns the ID of the bank account in the URL, else the last chosen one, else the first. */
export function useChosenAccountId(): string | null {
  const accounts = useQuery(bankAccountsQuery).data ?? []
  const { account } = useSearch({ strict: false })
  const { bankAccountId } = usePreferences()
  const ids = accounts.map((one) => one.bankAccountId)
  return [account, bankAccountId].find((id) => ids.includes(id ?? '')) ?? ids[0] ?? null
}

/**
 * Context in which texts are formatted for the user: language, region, timezone and current day.
 */
export interface Reader extends Place {
  today: string
  currencyDefault: string
}

/** Returns the formats of the signed-in user. */
export function useReader(): Reader {
  const { user, defaultCurrency } = useSuspenseQuery(meQuery).data
  const { timezone, locale } = user.account
  return {
    locale: locale.replace('_', '-'),
    timezone,
    today: dayOf(new Date(), timezone),
    language,
    currencyDefault: defaultCurrency,
  }
}

/** Returns a bank account; undefined while it is loading, or if the ID is unknown. */
export function useAccount(bankAccountId: string): BankAccount | undefined {
  const accounts = useQuery(bankAccountsQuery).data ?? []
  return accounts.find((one) => one.bankAccountId === bankAccountId)
}

/** Returns the format of amounts of a bank account; with the default currency if it is unknown. */
export function useManner(bankAccountId: string): Manner {
  const { locale, currencyDefault } = useReader()
  const account = useAccount(bankAccountId)
  return { locale, currency: account?.currency ?? currencyDefault }
}

/** Returns the link of a bank account; undefined while it is loading. */
export function useLinkOf(bankAccountId: string): Link | undefined {
  const account = useAccount(bankAccountId)
  const links = useQuery(linksQuery).data ?? []
  return links.find(({ linkId }) => linkId === account?.linkId)
}

/** Returns whether a bank account is manual, so that the user creates its transactions. */
export function useIsManual(bankAccountId: string): boolean {
  return useLinkOf(bankAccountId)?.linkType === 'manual'
}

/**
 * Returns the kind of money outside envelopes of a bank account: free to use, unused credit or
 * debt.
 */
export function useRest(bankAccountId: string): Rest {
  const account = useAccount(bankAccountId)
  return account === undefined ? 'free' : restOf(account)
}

/** Returns whether a bank account is a card or a loan. */
export function useIsDebt(bankAccountId: string): boolean {
  const account = useAccount(bankAccountId)
  return account !== undefined && isDebt(account)
}
