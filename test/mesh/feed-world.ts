import type { FeedSync } from '@coffer/feed-sync/syncs/feed-sync'
import { readSync, requestByOperator } from '@coffer/feed-sync/syncs/operator.service'
import { eventually } from '@coffer/host/testing/boot'
import type { ServiceDefinition } from '@coffer/kit/service/service'
import { FeedSyncService } from '@coffer/proto/feedsync/v1/feed_sync'
import type { SyncHealth } from '@coffer/proto/sync/v1/health'
import { type Coffer, startCoffer } from '../harness/coffer.ts'
import type { Json, Person } from '../harness/person.ts'
import type { FeedBank } from '../providers/feed-bank.ts'
import {
  type FeedAccount,
  feedAccount,
  type LunchFlow,
  startLunchFlow,
} from '../providers/lunch-flow.ts'

/** All services, and a feed provider that they may call. */
export interface FeedWorld extends AsyncDisposable {
  coffer: Coffer
  provider: LunchFlow
}

/** A link of a person to the feed provider, with a bank account for each of the provider's. */
export interface FeedHome {
  person: Person
  linkId: string
  feedLinkId: string
  /** IDs of the bank accounts, in the order of the provider's. */
  bankAccountIds: string[]
  /** Requests a sync, also within 30 minutes of the last one, and waits until it ends. */
  sync: () => Promise<SyncHealth>
  /** Requests a sync and returns at once. */
  request: () => Promise<unknown>
  /** Waits until no sync runs, and none is requested for now. */
  ended: () => Promise<void>
  /** Waits until the syncs satisfy a condition. */
  until: (isReached: (health: SyncHealth) => boolean) => Promise<SyncHealth>
  health: () => Promise<SyncHealth>
}

/** A link with one bank account. */
export interface OneAccount extends FeedHome {
  feedId: string
  bankAccountId: string
  /** Path of the bank account in the REST API. */
  path: string
  /** Its transactions at the provider. */
  bank: FeedBank
  /** Lists its transactions, newest first. */
  list: () => Promise<Json[]>
  /** Subscribes to the frames of its syncs. */
  watch: () => Frames
}

/** Frames of a bank account's syncs since the subscription. */
export interface Frames extends Disposable {
  all: Json[]
  /** Resolves with their statuses when there are so many. */
  until: (count: number) => Promise<string[]>
}

/** Starts all services, or those given, and a feed provider. */
export async function startFeedWorld(
  environment: Record<string, string> = {},
  services?: ServiceDefinition[],
): Promise<FeedWorld> {
  const provider = await startLunchFlow()
  const settings = {
    COFFER_FEED_ENABLED: 'true',
    COFFER_FEED_ALLOWED_URLS: provider.url,
    ...environment,
  }
  const coffer = await startCoffer(settings, services)
  return {
    coffer,
    provider,
    [Symbol.asyncDispose]: async () => {
      await provider[Symbol.asyncDispose]()
      await coffer[Symbol.asyncDispose]()
    },
  }
}

let accountCount = 0

/** Adds a bank account, with an ID of its own, to those of the provider. */
export function addAccount(provider: LunchFlow, more: Partial<FeedAccount> = {}): string {
  accountCount += 1
  const id = `${accountCount}`
  provider.accounts.push(feedAccount(id, more))
  return id
}

/** Registers a person and links these bank accounts of the provider. */
export async function linkFeed(
  { coffer, provider }: FeedWorld,
  feedIds: string[],
): Promise<FeedHome> {
  const person = await coffer.person()
  const { feedLinkId } = await person.post('/feed/link', {
    name: 'Home',
    feedURL: provider.url,
    apiKey: provider.apiKey,
  })
  const { linkId } = await person.post('/links', { institutionName: 'Feed', feedLinkId })
  const candidates = `/feed/link/${feedLinkId}/bank_accounts`
  await person.call('POST', `${candidates}/refresh`)
  const listed: Json[] = await person.get(candidates)
  const bankAccountIds: string[] = []
  for (const feedId of feedIds) {
    const { feedBankAccountId } = listed.find((one) => one.feedId === feedId) ?? {}
    const body = { linkId, name: `Mine ${feedId}`, feedBankAccountId }
    bankAccountIds.push((await person.post('/bank_accounts', body)).bankAccountId)
  }
  return { ...syncsOf(coffer, person, { linkId, feedLinkId }), bankAccountIds }
}

function syncsOf(
  { booted }: Coffer,
  person: Person,
  { linkId, feedLinkId }: { linkId: string; feedLinkId: string },
) {
  const { accountId } = person
  const syncs = booted.client('feed-sync', FeedSyncService)
  const health = async (): Promise<SyncHealth> => {
    const { health: found } = await syncs.getHealth({ feedLinkId }, booted.as(accountId))
    if (!found) throw new Error('the link has no health')
    return found
  }
  const database = booted.database('feed-sync')
  const request = async (): Promise<void> => {
    const key = await requestByOperator(database, linkId, booted.clock.now ?? new Date())
    if (!key) throw new Error('the link has no feed connection')
  }
  const ended = async () => {
    const key = { accountId, feedLinkId, linkId }
    const isWaiting = (at: Date | null) => at !== null && at <= (booted.clock.now ?? new Date())
    const isEnded = (sync: FeedSync) => !isWaiting(sync.requestedAt) && !sync.syncRunId
    await eventually(() => readSync(database, key), isEnded)
  }
  const until = (isReached: (health: SyncHealth) => boolean) => eventually(health, isReached)
  return {
    person,
    linkId,
    feedLinkId,
    health,
    until,
    request,
    ended,
    sync: async () => {
      await request()
      await ended()
      return health()
    },
  }
}

/** Registers a person and links a new bank account of the provider. */
export async function linkOne(
  world: FeedWorld,
  more: Partial<FeedAccount> = {},
): Promise<OneAccount> {
  const feedId = addAccount(world.provider, more)
  const home = await linkFeed(world, [feedId])
  const [bankAccountId = ''] = home.bankAccountIds
  const path = `/bank_accounts/${bankAccountId}`
  return {
    ...home,
    feedId,
    bankAccountId,
    path,
    bank: world.provider.bank(feedId),
    list: () => home.person.get(`${path}/transactions`),
    watch: () => watch(world, `${home.person.accountId}.${bankAccountId}`),
  }
}

function watch({ coffer }: FeedWorld, of: string): Frames {
  const { broker } = coffer.booted
  const all: Json[] = []
  const subscription = broker.connection.subscribe(broker.subject(`progress.${of}`), {
    callback: (_error, message) => void all.push(message.json()),
  })
  return {
    all,
    until: async (count) => {
      await eventually(
        async () => all.length,
        (length) => length >= count,
      )
      return all.map(({ status }) => status)
    },
    [Symbol.dispose]: () => subscription.unsubscribe(),
  }
}

/** Returns the day (UTC, YYYY-MM-DD) that was this number of days ago. */
export function daysAgo(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)
}
