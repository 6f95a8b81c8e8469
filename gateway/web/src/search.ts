import type { Filters } from './api/transaction-queries.ts'

/** Search parameters of the sign-in. */
export interface SignInSearch {
  next?: string | undefined
  /** Where the session has ended: in another tab of this browser, or at its time or elsewhere. */
  ended?: 'here' | 'elsewhere' | undefined
  /** Whether the account was just deleted. */
  deleted?: boolean | undefined
}

/** Parses the search parameters of the sign-in. */
export function signInSearchOf({ next, deleted, ended }: Record<string, unknown>): SignInSearch {
  return {
    next: textOf(next),
    deleted: deleted === true || undefined,
    ended: ended === 'here' || ended === 'elsewhere' ? ended : undefined,
  }
}

/** Returns a search parameter if it is a string. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** IDs of objects that belong to one bank account. */
interface Objects {
  spendingId?: string | undefined
  like?: string | undefined
}

/** Returns the search parameters for another bank account, without objects of the current one. */
export function ofAccount<Search extends Objects>(search: Search, account: string) {
  const { spendingId, like: _, ...others } = search
  return { ...others, account, spendingId: spendingId === 'free' ? spendingId : undefined }
}

/** Parses the filters of transactions in the URL; ignores invalid values. */
export function filtersOf(search: Record<string, unknown>): Filters {
  const sources = ['aggregator', 'upload', 'manual', 'feed'] as const
  const flows = ['out', 'in'] as const
  return {
    search: textOf(search.search),
    from: textOf(search.from),
    to: textOf(search.to),
    spendingId: textOf(search.spendingId),
    tag: textOf(search.tag),
    source: sources.find((one) => one === search.source),
    flow: flows.find((one) => one === search.flow),
    pending: typeof search.pending === 'boolean' ? search.pending : undefined,
    deleted: search.deleted === true || undefined,
  }
}
