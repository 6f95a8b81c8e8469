import type { ServiceDeps } from '@coffer/kit/service/service'
import type { WebhookKey } from '../endpoints/webhook.sql.ts'
import { type RunDeps, runWebhook } from './webhook-run.service.ts'

/** Sends pending changes to webhooks in this process. */
export interface Dispatcher extends AsyncDisposable {
  /**
   * Serves these webhooks soon; webhooks that are being served are served again. Does not throw.
   */
  wake: (keys: readonly WebhookKey[]) => void
}

type Deps = RunDeps & Pick<ServiceDeps, 'workflows'>

/**
 * Concurrency limits: `atOnce` webhooks that answer quickly, and `max` in total. A webhook served
 * for over `slowMs` counts only towards `max`, so that slow receivers do not delay others.
 */
const limitsDefault = { atOnce: 200, slowMs: 2_000, max: 2_000 }

/**
 * Creates the dispatcher. If deliveries are left for later, it starts the workflow of the webhook,
 * which waits and retries; without failures no workflow is needed. After a crash, the sweep finds
 * the work.
 */
export function createDispatcher(deps: Deps, limits = limitsDefault): Dispatcher {
  const { log, clock } = deps
  const waiting = new Map<string, WebhookKey>()
  const running = new Map<string, Promise<void>>()
  const slow = new Set<string>()
  // Due times for which the workflow of a webhook has been started, to start it once.
  const planned = new Map<string, number>()

  const serve = async (id: string, key: WebhookKey): Promise<void> => {
    try {
      const { dueAt } = await runWebhook(deps, key)
      if (dueAt === null) planned.delete(id)
      else if (dueAt <= clock()) waiting.set(id, key)
      else if (planned.get(id) !== dueAt.getTime()) {
        await deps.workflows.start(retryOf(key))
        planned.set(id, dueAt.getTime())
      }
    } catch (error) {
      log.warn(
        { err: error, webhookId: key.webhookId },
        'webhook was not served, a sweep repeats it',
      )
    }
  }
  const next = (): void => {
    for (const [id, key] of waiting) {
      const isFull = running.size - slow.size >= limits.atOnce || running.size >= limits.max
      if (deps.stopping.aborted || isFull) return
      if (running.has(id)) continue
      waiting.delete(id)
      const timer = setTimeout(() => {
        slow.add(id)
        next()
      }, limits.slowMs)
      const work = serve(id, key).finally(() => {
        clearTimeout(timer)
        slow.delete(id)
        running.delete(id)
        next()
      })
      running.set(id, work)
    }
  }
  const wake = (keys: readonly WebhookKey[]): void => {
    for (const { accountId, webhookId } of keys) waiting.set(webhookId, { accountId, webhookId })
    next()
  }
  return {
    wake,
    [Symbol.asyncDispose]: async () => {
      await Promise.all(running.values())
    },
  }
}

/** Returns the parameters to start the workflow that retries the deliveries of a webhook. */
function retryOf({ accountId, webhookId }: WebhookKey) {
  const key = { accountId, webhookId }
  return { type: 'retryWebhook', id: `webhook/${webhookId}`, args: [key] }
}
