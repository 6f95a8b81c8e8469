import { repeat } from '@coffer/kit/service/repeat'
import type { ServiceDeps } from '@coffer/kit/service/service'
import { dayMs, hourMs } from '@coffer/kit/values/time'
import type { WebhookKey } from '../endpoints/webhook.sql.ts'
import { deleteOld } from './delivery.sql.ts'
import type { Dispatcher } from './dispatcher.service.ts'
import { deleteRow, listBehind, listForSweep } from './progress.sql.ts'

type Deps = Pick<ServiceDeps, 'database' | 'clock' | 'log'> & { dispatcher: Dispatcher }

const behindMs = 15_000
const keptMs = 30 * dayMs
const webhooksPerPage = 500
const deliveriesPerStatement = 1_000
const first = { accountId: '', webhookId: '' }

/**
 * In each process of the service: every 15 s serves webhooks whose work a crash or an outage has
 * left, and every hour removes deliveries older than 30 days.
 */
export function startWebhookSweeps(deps: Deps): AsyncDisposable {
  const logged = (work: (stopping: AbortSignal) => Promise<void>, text: string) => {
    return async (stopping: AbortSignal) => {
      await work(stopping).catch((error) => deps.log.warn({ err: error }, text))
    }
  }
  const stack = new AsyncDisposableStack()
  const wake = logged((stopping) => wakeBehind(deps, stopping), 'webhooks were not looked through')
  const clean = logged((stopping) => removeOld(deps, stopping), 'old deliveries were not removed')
  stack.use(repeat(wake, { everyMs: behindMs, isDelayed: true }))
  stack.use(repeat(clean, { everyMs: hourMs, isDelayed: true }))
  return stack
}

/** Tells the dispatcher the webhooks that have work and that no process serves. */
async function wakeBehind(
  { database, clock, dispatcher }: Pick<Deps, 'database' | 'clock' | 'dispatcher'>,
  stopping?: AbortSignal,
): Promise<void> {
  for await (const page of pagesOf((after) => {
    return listBehind(database, { after, before: clock(), limit: webhooksPerPage })
  })) {
    if (stopping?.aborted) return
    dispatcher.wake(page)
  }
}

/** Removes old deliveries, and the remaining rows of deleted webhooks. */
export async function removeOld(
  { database, clock }: Pick<Deps, 'database' | 'clock'>,
  stopping?: AbortSignal,
): Promise<void> {
  const before = new Date(clock().getTime() - keptMs)
  const limit = deliveriesPerStatement
  for await (const page of pagesOf((after) => {
    return listForSweep(database, { after, limit: webhooksPerPage })
  })) {
    for (const { deletedAt, ...key } of page) {
      let count: number = limit
      while (count === limit && !stopping?.aborted) {
        count = await deleteOld(database, key, { before, limit, isDeleted: deletedAt !== null })
      }
      if (stopping?.aborted) return
      if (deletedAt !== null) await deleteRow(database, key)
    }
  }
}

async function* pagesOf<Row extends WebhookKey>(
  list: (after: WebhookKey) => Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  let after: WebhookKey | undefined = first
  while (after) {
    const page: readonly Row[] = await list(after)
    yield page
    after = page.at(webhooksPerPage - 1)
  }
}
