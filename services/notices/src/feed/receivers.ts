import { z } from 'zod'
import type { NewFeedEvent } from './entry.ts'

/** An account with new entries, and one of its enabled webhooks: null if the account has none. */
export const Appended = z.object({
  accountId: z.string(),
  webhookId: z.string().nullable(),
  /** Types that the webhook gets; empty for all. */
  types: z.array(z.string()).nullable(),
})
export type Appended = z.infer<typeof Appended>

/** Account and ID of a webhook that gets new entries. */
export interface Receiver {
  accountId: string
  webhookId: string
}

/** Returns the webhooks that get a type among the objects of these events of their account. */
export function receiversOf(
  appended: readonly Appended[],
  events: readonly NewFeedEvent[],
): Receiver[] {
  const toldOf = new Map<string, Set<string>>()
  for (const { accountId, objects } of events) {
    const told = toldOf.get(accountId) ?? new Set()
    for (const { type } of objects) told.add(type)
    toldOf.set(accountId, told)
  }
  return appended.flatMap(({ accountId, webhookId, types }) => {
    const told = toldOf.get(accountId)
    const isTold = types?.length === 0 || types?.some((type) => told?.has(type))
    return webhookId !== null && isTold ? { accountId, webhookId } : []
  })
}
