import { type Timestamp, timestampFromDate } from '@bufbuild/protobuf/wkt'
import { z } from 'zod'
import { paidUntil, Subscription } from '../billing/subscription.ts'

/** A household's or a person's set of books; everything else in the mesh belongs to one. */
export const Account = z.object({
  accountId: z.string(),
  /** IANA name; decides what midnight means. */
  timezone: z.string(),
  locale: z.string(),
  /** Grows with every change of the settings, what is paid for among them. */
  version: z.bigint(),
  createdAt: z.date(),
  ...Subscription.shape,
})
export type Account = z.infer<typeof Account>

/** What other services keep of an account. */
export interface SharedSettings {
  timezone: string
  locale: string
  version: bigint
  /** Until when it is paid up; unset without billing. */
  subscriptionActiveUntil?: Timestamp
}

export function sharedSettings(account: Account, { billed }: { billed: boolean }): SharedSettings {
  const { timezone, locale, version } = account
  const settings = { timezone, locale, version }
  if (!billed) return settings
  return { ...settings, subscriptionActiveUntil: timestampFromDate(paidUntil(account)) }
}
