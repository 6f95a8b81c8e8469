import { paginate } from '@coffer/client'
import type { BankAccount, ListLinksResponse, User } from '@coffer/client/types'
import { queryOptions } from '@tanstack/react-query'
import { coffer } from './client.ts'

export type { BankAccount, User }

/** A link with its connection, where it has one. */
export type Link = NonNullable<ListLinksResponse>[number]

/** The features of the server. */
export const configQuery = queryOptions({
  queryKey: ['config'],
  queryFn: async ({ signal }) => (await coffer.getConfig({ signal })).data,
  staleTime: Number.POSITIVE_INFINITY,
  refetchInterval: false,
})

/** The caller: user, account and what comes next. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: async ({ signal }) => (await coffer.getMe({ signal })).data,
  staleTime: 60_000,
})

/** Bank accounts that are not archived, in the order of their creation. */
export const bankAccountsQuery = queryOptions({
  queryKey: ['bank-accounts'],
  queryFn: async () => {
    const all = await Array.fromAsync(paginate(coffer.listBankAccounts))
    return all.filter(({ deletedAt }) => deletedAt === undefined)
  },
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

export const linksQuery = queryOptions({
  queryKey: ['links'],
  queryFn: () => Array.fromAsync(paginate(coffer.listLinks)),
})

/** Health of a link: whether it syncs, and why not. */
export function linkHealthQuery(linkId: string) {
  return queryOptions({
    queryKey: ['link-health', linkId],
    queryFn: async ({ signal }) => (await coffer.getLinkHealth({ path: { linkId }, signal })).data,
  })
}

/** ISO 4217 codes of the currencies that the server keeps accounts in. */
export const currenciesQuery = queryOptions({
  queryKey: ['currencies'],
  queryFn: async ({ signal }) => (await coffer.listCurrencies({ signal })).data,
  staleTime: Number.POSITIVE_INFINITY,
  refetchInterval: false,
})
