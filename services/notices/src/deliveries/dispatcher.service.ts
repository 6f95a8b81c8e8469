import type { ServiceDeps } from '@coffer/kit/service/service'
import type { WebhookKey } from '../endpoints/webhook.sql.ts'
import { type RunDeps, runWebhook } from './webhook-run.service.ts'

/** Serves webhooks in this process as soon as there is work for them. */
export interface Dispatcher extends AsyncDisposable {
  /** Serves these webhooks soon, again if they are being served. Does not throw. */
  wake: (keys: readonly WebhookKey[]) => void
}

type Deps = RunDeps & Pick<ServiceDeps, 'workflows' | 'log'>

/**
 * Webhooks that a process serves at once. One that takes longer than `slowMs` no longer counts, up
 * to `max` of both, so that many that do not answer hold up no others.
 */
const limitsDefault = { atOnce: 200, slowMs: 2_000, max: 2_000 }

/**
 * Creates the dispatcher. A run that leaves something for later starts the workflow of the webhook,
 * which waits and tries again; without failures no workflow is needed. All of it is repeated by the
 * sweep after a kill.
 */
export function createDispatcher(deps: Deps, limits = limitsDefault): Dispatcher {
  const { log, clock } = deps
  const stop = new AbortController()
  const waiting = new Map<string, WebhookKey>()
  const running = new Map<string, Promise<void>>()
  const slow = new Set<string>()
  // Instants for which the workflow of a webhook has been started.
  const planned = new Map<string, number>()

  const serve = async (id: string, key: WebhookKey): Promise<void> => {
    try {
      const { dueAt } = await runWebhook(deps, key, stop.signal)
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
      if (stop.signal.aborted || isFull) return
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
      stop.abort()
      await Promise.all(running.values())
    },
  }
}

/** Returns the workflow that serves a webhook later. */
function retryOf({ accountId, webhookId }: WebhookKey) {
  const key = { accountId, webhookId }
  return { type: 'retryWebhook', id: `webhook/${webhookId}`, args: [key] }
}
