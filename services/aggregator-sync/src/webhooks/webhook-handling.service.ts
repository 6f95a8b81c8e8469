import type { Transaction } from '@coffer/kit/database/database'
import { publishProgress } from '@coffer/kit/events/progress'
import type { ServiceDeps } from '@coffer/kit/service/service'
import type { AggregatorLink } from '../connections/aggregator-link.ts'
import { lockLinkOfItem, saveStatement } from '../connections/link-status.sql.ts'
import { applyStatement } from '../connections/link-status.ts'
import { emitNotice } from '../connections/notice.sql.ts'
import { itemRequests } from '../syncs/item-requests.service.ts'
import type { Webhook } from './webhook.ts'
import { effectOf } from './webhook-code.ts'
import { insertReceipt } from './webhook-receipt.sql.ts'
import { hashToken } from './webhook-token.ts'

/** A verified webhook. */
export interface SignedWebhook {
  content: Webhook
  token: string
  signedAt: Date
}

/** Result of a webhook; `repeated` and `too-early` are refused. */
export type Outcome =
  | 'applied'
  | 'unknown-code'
  | 'unknown-item'
  | 'ended'
  | 'repeated'
  | 'too-early'

type Deps = Pick<ServiceDeps, 'database' | 'broker' | 'clock' | 'log'>

interface Handled {
  outcome: Outcome
  changed?: { before: AggregatorLink; after: AggregatorLink }
}

/**
 * Thrown for a link that is still being created: the receipt is rolled back, so that the aggregator
 * can send the webhook again.
 */
class TooEarly extends Error {}

/**
 * Applies a webhook once: its receipt is stored in the same transaction, so a failed one can be
 * repeated.
 */
export async function handleWebhook(deps: Deps, signed: SignedWebhook): Promise<Outcome> {
  const { database, broker, log } = deps
  const now = deps.clock()
  const { outcome, changed } = await database
    .transaction((tx) => apply(tx, signed, now))
    .catch((error: unknown): Handled => {
      if (error instanceof TooEarly) return { outcome: 'too-early' }
      throw error
    })
  if (outcome === 'unknown-code') {
    const { type, code } = signed.content
    log.info({ type: type.slice(0, 100), code: code.slice(0, 100) }, 'a webhook is not known')
  }
  if (changed && changed.after.status !== changed.before.status) {
    const { accountId, linkId, status } = changed.after
    publishProgress(broker, { accountId, id: linkId }, { linkId, status })
  }
  return outcome
}

async function apply(
  tx: Transaction,
  { content, token, signedAt }: SignedWebhook,
  now: Date,
): Promise<Handled> {
  if (!(await insertReceipt(tx, hashToken(token), now))) return { outcome: 'repeated' }
  const effect = effectOf(content, signedAt)
  if (!effect) return { outcome: 'unknown-code' }
  const found = await lockLinkOfItem(tx, content.itemId, now)
  if (!found) return { outcome: 'unknown-item' }
  const { link: before, isServed } = found
  if (before.status === 'creating') throw new TooEarly()
  if (before.status === 'deactivated') return { outcome: 'ended' }
  const stated = effect.statement ? applyStatement(before, effect.statement, now) : before
  const after = await emitNotice(tx, { before, after: stated })
  if (after !== before) await saveStatement(tx, after)
  // No sync is requested for an account that is not paid up: the schedule syncs it once it is.
  if (effect.requestsSync && isServed) await itemRequests.request(tx, after, { now, by: 'service' })
  return { outcome: 'applied', changed: { before, after } }
}
