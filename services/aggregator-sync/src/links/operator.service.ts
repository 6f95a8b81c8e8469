import { say } from '@coffer/kit/reasons/reasons'
import { refused } from '@coffer/kit/rpc/errors'
import type { ServiceDeps } from '@coffer/kit/service/service'
import { ConnectError } from '@connectrpc/connect'
import { findLink, listOtherWebhooks, saveWebhookUrl } from '../connections/aggregator-link.sql.ts'
import { isLive, type LinkKey } from '../connections/aggregator-link.ts'
import { openItem } from '../connections/open-item.service.ts'
import { byActivity } from '../connections/upstream-call.service.ts'
import type { OpenAggregator, OpenItem } from '../provider/aggregator.ts'
import { describeFault, faultOf } from '../provider/plaid-fault.ts'
import { itemSyncs } from '../syncs/item-sync.sql.ts'

/** Dependencies of an operator's commands that call the aggregator. */
export type OperatorDeps = Pick<ServiceDeps, 'database' | 'secrets'> & {
  openAggregator: OpenAggregator
}

/**
 * Makes the aggregator ask the institution of a link for new transactions; returns false for an
 * unknown link. Throws refused for a link that is deactivated or being created, and faults.
 */
export async function refreshByOperator(deps: OperatorDeps, linkId: string): Promise<boolean> {
  const key = await itemSyncs.findKey(deps.database, linkId)
  if (!key) return false
  const item = await openLive(deps, key)
  const aggregator = await deps.openAggregator()
  await aggregator.refresh(item, byActivity())
  return true
}

/** Returns the item of a live link; throws refused for other links. */
async function openLive(deps: OperatorDeps, key: LinkKey): Promise<OpenItem> {
  const link = await findLink(deps.database, key)
  const item = link && isLive(link) ? await openItem(deps, key) : null
  if (!item) throw refused(say('LINK_NOT_READY'))
  return item
}

/** The registration of a webhook URL for a link; `failure` is null after success. */
export interface WebhookResult extends LinkKey {
  failure: string | null
}

// Calls mostly wait for Plaid's answer, so several run at once. The client of Plaid sends at most
// 20.
const callsAtOnce = 8
const pageSize = 200

/**
 * Registers a webhook URL at the aggregator for all links with another URL, eight at a time, and
 * stores it; so a later run continues with the remaining links. Throws the fault `keys-refused`,
 * which every link would have. `pause` sleeps.
 */
export async function setWebhooks(
  deps: OperatorDeps,
  of: { url: string; pause: (ms: number) => Promise<unknown> },
  onResult: (result: WebhookResult) => void,
): Promise<void> {
  const keys = listAll(deps, of.url)
  const work = async () => {
    for await (const key of keys) onResult({ ...key, failure: await setWebhook(deps, key, of) })
  }
  // Waits for all, so that none uses the database after the caller has closed it.
  const ends = await Promise.allSettled(Array.from({ length: callsAtOnce }, work))
  for (const end of ends) if (end.status === 'rejected') throw end.reason
}

/** Registers a webhook URL for one link; null for an unknown one. Throws like `setWebhooks`. */
export async function setWebhookOf(
  deps: OperatorDeps,
  of: { linkId: string; url: string; pause: (ms: number) => Promise<unknown> },
): Promise<WebhookResult | null> {
  const key = await itemSyncs.findKey(deps.database, of.linkId)
  return key && { ...key, failure: await setWebhook(deps, key, of) }
}

async function* listAll({ database }: OperatorDeps, url: string): AsyncGenerator<LinkKey> {
  let after: string[] = []
  for (;;) {
    const page = await listOtherWebhooks(database, { url, after, limit: pageSize })
    yield* page
    const last = page.at(pageSize - 1)
    if (!last) return
    after = [last.accountId, last.linkId]
  }
}

const triesMax = 5
const pauseMs = 1_000
/**
 * Maximum wait in ms for a limit of calls. Limits per minute end sooner. An item may be paused for
 * longer: that is reported as a failure.
 */
const pauseMsMax = 65_000

/** Returns the reason of a failure, null after success. Waits for limits per minute. */
async function setWebhook(
  deps: OperatorDeps,
  key: LinkKey,
  { url, pause }: { url: string; pause: (ms: number) => Promise<unknown> },
): Promise<string | null> {
  for (let tries = 1; ; tries += 1) {
    try {
      const item = await openLive(deps, key)
      const aggregator = await deps.openAggregator()
      await aggregator.setWebhook(item, url, byActivity())
      await saveWebhookUrl(deps.database, key, url)
      return null
    } catch (error) {
      const fault = faultOf(error)
      if (fault?.code === 'keys-refused') throw error
      const waitMs = fault?.code === 'rate-limited' ? (fault.retryAfterMs ?? pauseMs) : null
      if (waitMs === null || waitMs > pauseMsMax || tries === triesMax) {
        return fault ? describeFault(fault).text : ConnectError.from(error).rawMessage
      }
      await pause(waitMs)
    }
  }
}
