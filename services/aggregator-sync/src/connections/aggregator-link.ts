import { say } from '@coffer/kit/reasons/reasons'
import { refused } from '@coffer/kit/rpc/errors'
import { values } from '@coffer/proto/values'
import { z } from 'zod'

/** A link of an account. */
export const LinkKey = z.object({ accountId: z.string(), linkId: z.string() })
export type LinkKey = z.infer<typeof LinkKey>

/** The connection of a link to an item of the aggregator, without its token. */
export const AggregatorLink = LinkKey.extend({
  /**
   * `creating` (shown as pending) until the ledger has the link; `pending` until its first complete
   * sync.
   */
  status: z.enum(['creating', ...values['AggregatorLink.status']]),
  /** Null until the exchange of the public token is stored. */
  itemId: z.string().nullable(),
  institutionId: z.string(),
  institutionName: z.string(),
  products: z.array(z.string()),
  /** As registered at the aggregator. */
  webhookUrl: z.string().nullable(),
  /** The aggregator's IDs of the accounts to create; empty once the ledger has them. */
  chosenAccounts: z.array(z.string()),
  /** The aggregator's code of the error that keeps the item from working. */
  errorCode: z.string().nullable(),
  /** End of the user's consent. */
  expirationDate: z.date().nullable(),
  newAccountsAvailable: z.boolean(),
  /** Instant of the last applied statement about the status; older statements are ignored. */
  statusAsOf: z.date().nullable(),
  /** Reason and instant of the last mail about the link, so that it is sent once. */
  noticedFor: z.string().nullable(),
  createdAt: z.date(),
  createdBy: z.string(),
  updatedAt: z.date(),
  deletedAt: z.date().nullable(),
  /** When the item was removed at the aggregator. */
  releasedAt: z.date().nullable(),
})
export type AggregatorLink = z.infer<typeof AggregatorLink>

/** Returns whether a link is created and has not ended. */
export function isLive({ status }: Pick<AggregatorLink, 'status'>): boolean {
  return status !== 'creating' && status !== 'deactivated'
}

/** The choice of a user in Plaid Link. */
export interface Choice {
  institutionId: string
  institutionName: string
  accountIds: string[]
}

const textLengthMax = 300

/** Returns a link that is being created (docs/banks/aggregator.md#set-up). */
export function createLink(
  { institutionId, institutionName, accountIds }: Choice,
  by: LinkKey & { createdBy: string; now: Date; webhookUrl: string | null },
): AggregatorLink {
  return {
    accountId: by.accountId,
    linkId: by.linkId,
    status: 'creating',
    itemId: null,
    institutionId: cut(institutionId),
    institutionName: cut(institutionName),
    products: ['transactions'],
    webhookUrl: by.webhookUrl,
    chosenAccounts: accountIds,
    errorCode: null,
    expirationDate: null,
    newAccountsAvailable: false,
    statusAsOf: null,
    noticedFor: null,
    createdAt: by.now,
    createdBy: by.createdBy,
    updatedAt: by.now,
    deletedAt: null,
    releasedAt: null,
  }
}

/**
 * Returns an ended link that stores the public token of an update, so that the item of the token is
 * removed at the aggregator if the update fails, unless another link has this item.
 */
export function createTentative(
  updated: AggregatorLink,
  { linkId, accountIds, now }: { linkId: string; accountIds: string[]; now: Date },
): AggregatorLink {
  const { accountId, institutionId, institutionName, createdBy, webhookUrl } = updated
  const by = { accountId, linkId, createdBy, now, webhookUrl }
  return endLink(createLink({ institutionId, institutionName, accountIds }, by), now)
}

/** Returns whether a link only stores the public token of an update (`createTentative`). */
export function isTentative({ createdAt, deletedAt, itemId }: AggregatorLink): boolean {
  return itemId === null && deletedAt?.getTime() === createdAt.getTime()
}

/**
 * Returns a link with the item of its public token. `releasedAt` is null, so that the item is
 * released even if the link has ended meanwhile.
 */
export function identifyLink(link: AggregatorLink, itemId: string, now: Date): AggregatorLink {
  return { ...link, itemId, releasedAt: null, updatedAt: now }
}

/** Returns a link after the ledger has created its bank accounts: pending until its first sync. */
export function completeLink(link: AggregatorLink, now: Date): AggregatorLink {
  return { ...link, status: 'pending', chosenAccounts: [], updatedAt: now }
}

/** Returns a link whose user has signed in at the institution again, with accounts to create. */
export function renewLink(
  link: AggregatorLink,
  { accountIds, now }: { accountIds: string[]; now: Date },
): AggregatorLink {
  return {
    ...link,
    status: 'setup',
    errorCode: null,
    expirationDate: null,
    newAccountsAvailable: false,
    statusAsOf: now,
    chosenAccounts: accountIds,
    updatedAt: now,
  }
}

/**
 * Returns the link as ended; an ended link is unchanged. A link that was never created keeps its
 * chosen accounts, by which the release recognizes it: it discards such a link in the ledger, and
 * leaves the data of other links to the user. The daily check deletes its row a day after the
 * release.
 */
export function endLink(link: AggregatorLink, now: Date): AggregatorLink {
  if (link.deletedAt !== null) return link
  const chosenAccounts = link.status === 'creating' ? link.chosenAccounts : []
  return { ...link, status: 'deactivated', chosenAccounts, updatedAt: now, deletedAt: now }
}

/** Returns the additional authenticated data that binds a sealed token to its link. */
export function tokenOwnerOf({ accountId, linkId }: LinkKey): string {
  return `${accountId}/${linkId}`
}

/** Bounds on the length of a public token, and on the number of chosen accounts. */
const tokenLengthMax = 500
const accountsMax = 200

/** Throws refused for a blank public token, and for no or too many chosen accounts. */
export function requireChoice(publicToken: string, accountIds: readonly string[]): void {
  const length = publicToken.trim().length
  if (length === 0) throw refused(say('PLAID_TOKEN_MISSING'))
  if (length > tokenLengthMax) throw refused(say('PLAID_TOKEN_LONG'))
  if (accountIds.length === 0) throw refused(say('PLAID_ACCOUNTS_MISSING'))
  const isId = (id: string) => /^[\x21-\x7e]{1,200}$/.test(id)
  if (accountIds.length > accountsMax || !accountIds.every(isId)) {
    throw refused(say('PLAID_ACCOUNTS', { max: accountsMax }))
  }
}

function cut(text: string): string {
  return text.trim().slice(0, textLengthMax)
}
