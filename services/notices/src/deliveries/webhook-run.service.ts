import { nextVersion } from '@coffer/kit/database/version'
import { changeOf, emit } from '@coffer/kit/events/changes'
import type { Resolve } from '@coffer/kit/http/pinned-request.client'
import { repeat } from '@coffer/kit/service/repeat'
import type { ServiceDeps } from '@coffer/kit/service/service'
import { newId } from '@coffer/kit/values/id'
import { WebhookSwitchedOffSchema } from '@coffer/proto/notices/v1/events'
import type { settings } from '../config.ts'
import { giveUpPending, lockEnabled, switchOff, type WebhookKey } from '../endpoints/webhook.sql.ts'
import type { DisabledReason } from '../endpoints/webhook.ts'
import { listSecrets } from '../endpoints/webhook-secret.sql.ts'
import { secretOwner, signingKeyOf } from '../endpoints/webhook-secret.ts'
import { createSender } from '../requests/webhook-request.client.ts'
import { missedMs, reasonToSwitchOff } from './delivery.ts'
import {
  endLease,
  moveBegin,
  noteWork,
  renewLease,
  type Saved,
  saveRound,
  type Taken,
  takeLease,
} from './progress.sql.ts'
import {
  type RoundOf,
  type RoundResult,
  type RoundState,
  runRound,
} from './webhook-round.service.ts'

export type RunDeps = Pick<
  ServiceDeps<typeof settings>,
  'config' | 'database' | 'secrets' | 'clock' | 'log' | 'stopping'
> & { resolve?: Resolve }

/** Time in ms after which a run starts no request, so that other webhooks are served. */
const runMs = 20_000
const renewMs = 5_000
const takesMax = 3

/** Due time of the next run; null if nothing is pending. */
export interface RunEnd {
  dueAt: Date | null
}

/**
 * Sends the pending changes of a webhook, for at most half a minute. Lease: one process at a time.
 * If another process holds it, `noteWork` makes that process read the feed again before it ends.
 */
export async function runWebhook(deps: RunDeps, key: WebhookKey): Promise<RunEnd> {
  const leaseId = newId('lease')
  for (let takes = 0; takes < takesMax; takes += 1) {
    const taken = await takeLease(deps.database, key, { leaseId, now: deps.clock() })
    if (taken) return await runTaken(deps, taken, leaseId)
    const noted = await noteWork(deps.database, key)
    if (noted === null || !noted.isFree) return { dueAt: null }
    if (noted.restUntil !== null && noted.restUntil > deps.clock())
      return { dueAt: noted.restUntil }
  }
  return { dueAt: deps.clock() }
}

async function runTaken(deps: RunDeps, webhook: Taken, leaseId: string): Promise<RunEnd> {
  const endsAt = performance.now() + runMs
  const { config, resolve, stopping } = deps
  const options = { allowed: config.webhookHosts, timeoutMs: config.webhookTimeoutMs, resolve }
  using sender = createSender(webhook.url, options)
  let isLost = false
  const isOver = () => performance.now() > endsAt || isLost || stopping.aborted
  const renew = async (): Promise<void> => {
    // If the database does not answer, the lease may expire, so it counts as lost.
    isLost ||= !(await renewLease(deps.database, webhook, leaseId).catch(() => false))
  }
  await using _renewal = repeat(renew, { everyMs: renewMs, isDelayed: true })
  try {
    const begun = await leaveOutMissed(deps, webhook, leaseId)
    if (begun === null) return { dueAt: null }
    return await runRounds(deps, { deps, webhook: begun, sender, isOver }, leaseId)
  } catch (error) {
    await endLease(deps.database, webhook, leaseId).catch((failure) => {
      const { webhookId } = webhook
      deps.log.warn({ err: failure, webhookId }, 'lease of a webhook was not ended, it expires')
    })
    throw error
  }
}

/**
 * Excludes the downtime of this server from the three days for which failed attempts are repeated.
 * Returns the webhook with the new start of its failures; null if the lease is lost.
 */
async function leaveOutMissed(
  { database, clock }: RunDeps,
  webhook: Taken,
  leaseId: string,
): Promise<Taken | null> {
  const now = clock()
  const ms = missedMs(webhook, now)
  if (ms === 0) return webhook
  const moved = await moveBegin(database, webhook, { leaseId, missedMs: ms, now })
  return moved && { ...webhook, ...moved, dueAt: now }
}

async function openKeys({ database, secrets, clock }: RunDeps, key: WebhookKey): Promise<Buffer[]> {
  const rows = await listSecrets(database, key, clock())
  return Promise.all(
    rows.map(async (row) => {
      const owner = secretOwner({ ...key, webhookSecretId: row.webhookSecretId })
      return signingKeyOf(await secrets.open(row, owner))
    }),
  )
}

async function runRounds(
  deps: RunDeps,
  of: Omit<RoundOf, 'keys'>,
  leaseId: string,
): Promise<RunEnd> {
  const { webhook, isOver } = of
  let state: RoundState = { ...webhook, hasPending: webhook.dueAt !== null }
  for (;;) {
    // Read for each round, because a request may change the secrets in between.
    const keys = await openKeys(deps, webhook)
    const result = await runRound({ ...of, keys }, state)
    const now = deps.clock()
    const { dueAt, isResting } = nextDue(result, now)
    const isDone = dueAt === null || dueAt > now
    const round: Saved = {
      ...result.failing,
      leaseId,
      readFrom: state.position,
      position: result.position,
      dueAt,
      deliveries: result.deliveries,
      isLast: isDone || isOver(),
    }
    const reason = reasonToSwitchOff(result.failing, result.attempts, now)
    if (reason !== null) {
      await switchOffWebhook(deps, webhook, { reason, now, round })
      return { dueAt: null }
    }
    const saved = await saveRound(deps.database, webhook, round)
    if (saved === null) return { dueAt: null }
    if (!saved.isHeld) return { dueAt }
    if (isResting || isOver()) {
      await endLease(deps.database, webhook, leaseId)
      return { dueAt: isResting ? result.failing.restUntil : now }
    }
    state = { ...result.failing, position: saved.position, hasPending: true }
  }
}

/** Returns when a webhook is due after a round, and whether it pauses until then. */
function nextDue(
  { failing, dueAt, hasMore }: RoundResult,
  now: Date,
): { dueAt: Date | null; isResting: boolean } {
  const { restUntil } = failing
  const next = hasMore ? now : dueAt
  const isResting = restUntil !== null && restUntil > now
  return { dueAt: isResting && next !== null && next < restUntil ? restUntil : next, isResting }
}

/**
 * Saves the last round of a webhook, switches the webhook off, gives up its pending deliveries, and
 * emits the mail to its owner. All in one transaction: once the round is saved without due work, no
 * sweep would find the webhook again to do the rest.
 */
async function switchOffWebhook(
  { database }: RunDeps,
  webhook: Taken,
  { reason, now, round }: { reason: DisabledReason; now: Date; round: Saved },
): Promise<void> {
  const { accountId, webhookId } = webhook
  await database.transaction(async (tx) => {
    // Lock order: the webhook before its progress, as in requests.
    if (!(await lockEnabled(tx, webhook))) return
    if ((await saveRound({ pool: tx }, webhook, round)) === null) return
    await switchOff(tx, webhook, { reason, now })
    await giveUpPending(tx, webhook, 'the webhook was switched off')
    const subject = { accountId, entityId: webhookId, version: nextVersion(0n, now) }
    const message = { accountId, webhookId, host: new URL(webhook.url).hostname, reason }
    await emit(tx, changeOf(WebhookSwitchedOffSchema, subject, message))
  })
}
