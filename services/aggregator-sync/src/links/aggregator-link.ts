import { z } from 'zod'

/** A link of an account. */
export const LinkKey = z.object({ accountId: z.string(), linkId: z.string() })
export type LinkKey = z.infer<typeof LinkKey>

/** The connection of a link to an item of the aggregator, without its token. */
export const AggregatorLink = LinkKey.extend({
  /** `creating` until the ledger has the link; `pending` until its first complete sync. */
  status: z.enum([
    'creating',
    'pending',
    'setup',
    'error',
    'pending_expiration',
    'revoked',
    'deactivated',
    'unknown',
  ]),
  /** Null until the exchange of the public token is stored. */
  itemId: z.string().nullable(),
  institutionId: z.string(),
  institutionName: z.string(),
  products: z.array(z.string()),
  /** As registered at the aggregator. */
  webhookUrl: z.string().nullable(),
  /** The aggregator's IDs of the chosen accounts; empty once the link is created. */
  chosenAccounts: z.array(z.string()),
  /** The aggregator's code for an item that does not work. */
  errorCode: z.string().nullable(),
  /** End of the user's consent. */
  expirationDate: z.date().nullable(),
  newAccountsAvailable: z.boolean(),
  /** Instant of the last statement about the status: older ones are ignored. */
  statusAsOf: z.date().nullable(),
  /** Occasion of the last mail about the link. */
  noticedFor: z.string().nullable(),
  createdAt: z.date(),
  createdBy: z.string(),
  updatedAt: z.date(),
  deletedAt: z.date().nullable(),
  /** When the item was removed at the aggregator. */
  releasedAt: z.date().nullable(),
})
export type AggregatorLink = z.infer<typeof AggregatorLink>

/** Returns the additional authenticated data that binds a sealed token to its link. */
export function tokenOwnerOf({ accountId, linkId }: LinkKey): string {
  return `${accountId}/${linkId}`
}
