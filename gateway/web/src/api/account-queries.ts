import type {
  Balances,
  BankAccount,
  BankAccountOverview,
  GetOverviewResponse,
  ListLinksResponse,
  User,
} from '@coffer/client/types'
import { queryOptions } from '@tanstack/react-query'
import { coffer } from './client.ts'

export type { Balances, BankAccount, BankAccountOverview, User }

/** A link with its connection to the feed or the aggregator, if it has one. */
export type Link = NonNullable<ListLinksResponse>[number]

/** A funding schedule with its next firing, and the amount that this moves into envelopes. */
export type Payday = GetOverviewResponse['paydays'][number]

/** The features of the server. */
export const configQuery = queryOptions({
  queryKey: ['config'],
  queryFn: async ({ signal }) => (await coffer.getConfig({ signal })).data,
  staleTime: Number.POSITIVE_INFINITY,
  refetchInterval: false,
})

/** The signed-in user with account, and the step that is required next, such as a subscription. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: async ({ signal }) => (await coffer.getMe({ signal })).data,
  staleTime: 60_000,
})

/** Bank accounts with balances, next paydays, and links: one request for the queries below. */
export const overviewQuery = queryOptions({
  queryKey: ['overview'],
  queryFn: async ({ signal }) => (await coffer.getOverview({ signal })).data,
})

/** Bank accounts that are not archived, in the order of their creation. */
export const bankAccountsQuery = queryOptions({
  ...overviewQuery,
  select: ({ bankAccounts }) => bankAccounts.map(({ bankAccount }) => bankAccount),
})

/** Archived bank accounts of a link, in the order of their creation. */
export function archivedAccountsQuery(link_id: string) {
  return queryOptions({
    queryKey: ['bank-accounts', 'archived', link_id],
    queryFn: async ({ signal }) => {
      const { data } = await coffer.listBankAccounts({ query: { link_id }, signal })
      return (data ?? []).filter(({ deletedAt }) => deletedAt !== undefined)
    },
  })
}

/** Sums of a bank account in minor units, and the number of payments that wait for an envelope. */
export function bankAccountOverviewQuery(bankAccountId: string) {
  return queryOptions({
    ...overviewQuery,
    select: ({ bankAccounts }) =>
      bankAccounts.find((one) => one.bankAccount.bankAccountId === bankAccountId),
  })
}

/**
 * The next paydays of a bank account. The server lists the next 20 paydays of all bank accounts, so
 * the result is empty if these are of other bank accounts.
 */
export function paydaysQuery(bankAccountId: string) {
  return queryOptions({
    ...overviewQuery,
    select: ({ paydays }) => paydays.filter((one) => one.bankAccountId === bankAccountId),
  })
}

/** Links with the state of their connections. */
export const linksQuery = queryOptions({ ...overviewQuery, select: ({ links }) => links })

/** Feed connections whose bank accounts are not chosen yet, newest first. */
export const pendingFeedsQuery = queryOptions({
  queryKey: ['candidates', 'pending'],
  queryFn: async ({ signal }) => {
    const { data } = await coffer.listFeedLinks({ signal })
    return (data ?? []).filter(({ status }) => status === 'pending')
  },
})

/** Health of a link: whether it syncs, and why not. */
export function linkHealthQuery(linkId: string) {
  return queryOptions({
    queryKey: ['link-health', linkId],
    queryFn: async ({ signal }) => (await coffer.getLinkHealth({ path: { linkId }, signal })).data,
  })
}

/** ISO 4217 codes of the currencies that the server supports. */
export const currenciesQuery = queryOptions({
  queryKey: ['currencies'],
  queryFn: async ({ signal }) => (await coffer.listCurrencies({ signal })).data,
  staleTime: Number.POSITIVE_INFINITY,
  refetchInterval: false,
})
