import { z } from 'zod'

/** A household's or a person's set of books; everything else in the mesh belongs to one. */
export const Account = z.object({
  accountId: z.string(),
  /** IANA name; decides what midnight means. */
  timezone: z.string(),
  locale: z.string(),
  /** Grows with every change of the settings. */
  version: z.bigint(),
  createdAt: z.date(),
})
export type Account = z.infer<typeof Account>

/** Without billing every account counts as paid up (spec/interface.md, Authentication 3). */
export const unbilled = { isActive: true, isTrialing: false, hasSubscription: false } as const
