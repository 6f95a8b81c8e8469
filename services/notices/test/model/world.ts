import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { newId } from '@coffer/kit/values/id'
import { hourMs } from '@coffer/kit/values/time'
import { sql } from 'slonik'
import { readFeed } from '../../src/feed/feed.sql.ts'
import type { Received, Respond } from '../../testing/webhook-receiver.ts'
import type { Account, WebhookBoot } from '../webhooks.ts'
import { mortal } from './mortal-database.ts'
import { createPromises, type Promises } from './promises.ts'

/** Answers of a receiver. */
const answers: Record<string, Respond> = {
  ok: (response) => response.writeHead(204).end(),
  slow: (response) => void setTimeout(() => response.writeHead(200).end('late'), 30),
  fail: (response) => response.writeHead(500).end(),
  gone: (response) => response.writeHead(410).end(),
  cut: (response) => response.socket?.destroy(),
  hang: () => {},
}
const accepting = new Set(['ok', 'slow'])

/** Names of answers, and of those that depend on the request. */
export const modes = [...Object.keys(answers), 'flaky', 'poison']

function answerTo(mode: string, { data, number }: Received & { number: number }): string {
  if (mode === 'flaky') return number % 2 === 0 ? 'ok' : 'cut'
  if (mode === 'poison') return data.objectId.endsWith('0') ? 'fail' : 'ok'
  return mode
}

/** A webhook, its receiver, and a model of what was promised. */
export interface World extends Account {
  promises: Promises
  /** Broken promises, and errors of a run that was not killed. */
  breaches: string[]
  answerBy: (mode: string) => void
  /** Appends an event with a change of each of the objects, which have numbers from 0 to 3. */
  change: (numbers: readonly number[]) => Promise<void>
  /** Delivers the last event again. */
  redeliver: () => Promise<void>
  pass: (ms: number) => void
  /** Lets the lease of a killed process end. */
  endLease: () => Promise<unknown>
  /**
   * Serves the webhook as one process or two at once. The first is killed before this statement;
   * returns whether it came to that.
   */
  run: (killBefore: number, isTwice?: boolean) => Promise<boolean>
  rotate: (hours: number) => Promise<void>
  /** Asks for a delivery of the list again, or for all changes since then. */
  resend: (number: number, isAll: boolean) => Promise<void>
  /** Switches it off or on, as its user. */
  toggle: () => Promise<void>
  /** Number of times that the service has switched it off, and of events that tell it. */
  offs: () => Promise<[number, number]>
  feed: () => Promise<readonly string[]>
}

interface Parts {
  booted: WebhookBoot
  account: Account
  promises: Promises
  breaches: string[]
  pass: (ms: number) => void
}

export async function createWorld(booted: WebhookBoot): Promise<World> {
  const account = await booted.account()
  const { clock } = account
  const pass = (ms: number) => {
    clock.now = new Date(Math.max((clock.now?.getTime() ?? 0) + ms, Date.now()))
    booted.rpcClock.now = clock.now
  }
  pass(0)
  const promises = createPromises(account.secret, () => clock.now?.getTime() ?? 0)
  const breaches: string[] = []
  let mode = 'ok'
  booted.receiver.respond((response, request) => {
    const answer = answerTo(mode, request)
    try {
      promises.arrive(request, accepting.has(answer))
    } catch (error) {
      breaches.push(String(error))
    }
    return answers[answer]?.(response, request)
  })
  const parts = { booted, account, promises, breaches, pass }
  return {
    ...account,
    promises,
    breaches,
    pass,
    answerBy: (next) => {
      mode = next
    },
    ...eventsOf(parts),
    ...runsOf(parts),
    ...requestsOf(parts),
  }
}

const isOn = async ({ webhook }: Account) => (await webhook())?.isEnabled === true

/** Events of changes, and the feed that holds them. */
function eventsOf({ booted, account, promises }: Parts) {
  const objects = Array.from({ length: 4 }, (_, index) => `${newId('txn')}${index}`)
  let last = { eventId: '', objectIds: [] as string[] }
  return {
    change: async (numbers: readonly number[]) => {
      last = { eventId: newId('chg'), objectIds: numbers.map((one) => objects[one] ?? '') }
      const ids = await account.deliver(last.eventId, last.objectIds)
      const changes = ids.map((changeId, n) => ({ changeId, objectId: last.objectIds[n] ?? '' }))
      promises.append(changes, await isOn(account))
    },
    redeliver: async () => {
      if (last.eventId !== '') await account.deliver(last.eventId, last.objectIds)
    },
    feed: async () => (await entriesOf(booted, account)).map(({ changeId }) => changeId),
  }
}

/** Returns the entries of the feed, in their order. */
async function entriesOf({ deps }: WebhookBoot, { accountId }: Account) {
  const all = { accountId, after: 0n, types: [], readMax: 1_000 }
  return (await readFeed(deps.database, all))?.entries ?? []
}

/** Runs of processes that serve the webhook. */
function runsOf({ booted, account, promises, breaches }: Parts) {
  const { accountId } = account
  const { database } = booted.deps
  let offs = 0
  return {
    endLease: () =>
      database.pool.query(sql.unsafe`
      UPDATE webhook_progress SET leased_until = now() - interval '1 s'
      WHERE account_id = ${accountId} AND leased_until IS NOT NULL`),
    run: async (killBefore: number, isTwice = false) => {
      promises.begin()
      const wasOn = await isOn(account)
      const dying = mortal(database, killBefore)
      const runs = [account.serve(dying.database), ...(isTwice ? [account.serve()] : [])]
      const settled = await Promise.allSettled(runs)
      const failed = settled.filter(({ status }) => status === 'rejected')
      if (failed.length > Number(dying.isKilled())) breaches.push(JSON.stringify(failed))
      if (wasOn && !(await isOn(account))) {
        offs += 1
        promises.switchOff()
      }
      return dying.isKilled()
    },
    offs: async (): Promise<[number, number]> => {
      const types = await booted.changes('notices', accountId)
      return [offs, types.filter((type) => type.endsWith('WebhookSwitchedOff')).length]
    },
  }
}

/** Requests of the webhook's user. */
function requestsOf({ booted, account, promises, pass }: Parts) {
  const { webhooks, deliveries } = account.clients
  return {
    rotate: async (hours: number) => {
      const end = new Date((account.clock.now?.getTime() ?? 0) + hours * hourMs)
      const next = await webhooks.rotate(timestampFromDate(end))
      promises.rotate(next?.secret ?? '', end.getTime())
    },
    resend: async (number: number, isAll: boolean) => {
      const listed = await account.deliveries()
      const { changeId, deliveryId } = listed[number % Math.max(listed.length, 1)] ?? {}
      if (!changeId || !deliveryId || !(await isOn(account))) return
      pass(0)
      promises.resend(changeId, isAll)
      if (!isAll) return void (await deliveries.resend(deliveryId))
      const entries = await entriesOf(booted, account)
      const { position = 0n } = entries.find((one) => one.changeId === changeId) ?? {}
      // Positions are instants in µs.
      const since = new Date(Number(position / 1_000n))
      await deliveries.resendSince(timestampFromDate(since))
    },
    toggle: async () => {
      const isEnabled = !(await isOn(account))
      if (!isEnabled) promises.switchOff()
      await webhooks.update({ isEnabled })
    },
  }
}
