import { eventually } from '@coffer/host/testing/boot'
import type { Mortal } from '@coffer/kit/testing/mortal'
import { newId } from '@coffer/kit/values/id'
import { storedMessages } from '../../harness/messages.ts'
import type { Fault } from '../../providers/faults.ts'
import { faults } from '../../providers/feed-faults.ts'
import type { FeedWorld, OneAccount } from '../feed-world.ts'
import type { Chance } from '../sync-model/chance.ts'

/** A bank account, with the services that a sync can crash. */
export interface Syncing {
  world: FeedWorld
  home: OneAccount
  mortals: { ledger: Mortal; feedSync: Mortal }
}

/** `isWhole`: the sync read the whole list, and stored it with the balance. */
interface SyncWay {
  isWhole: boolean
  run: (of: Syncing, chance: Chance, meanwhile: () => void) => Promise<unknown>
}

/** All ways in which a sync may go. */
export const syncKinds = {
  plain: whole(({ home }) => home.sync()),
  twiceAtOnce: whole(async ({ home }) => {
    await Promise.all([home.request(), home.request()])
    return home.ended()
  }),
  requestedMeanwhile: whole(syncTwice),
  redelivered: whole(async (of) => {
    await of.home.request()
    await publishAgain(of)
    await of.home.ended()
    await publishAgain(of)
  }),
  killedLedger: whole((of, chance) => syncKilled(of, of.mortals.ledger, chance)),
  killedFeedSync: whole((of, chance) => syncKilled(of, of.mortals.feedSync, chance)),
  failsOnce: whole((of) => syncFaulty(of, { fault: faults.status(502), times: 1 })),
  cutOnce: whole((of, { pick }) => syncFaulty(of, { fault: faults.cut(pick), times: 1 })),
  waits: whole((of) => syncFaulty(of, { fault: faults.rateLimited('0'), times: 2 })),
  postponed: partial((of) => syncFaulty(of, { fault: faults.rateLimited('7200'), times: 1 })),
  fails: partial((of, { variant }) =>
    syncFaulty(of, {
      fault: faults.status(500),
      path: variant % 2 === 0 ? 'balance' : 'transactions',
    }),
  ),
  cut: partial((of, { pick }) => syncFaulty(of, { fault: faults.cut(pick) })),
  invalidJson: partial((of) => syncFaulty(of, { fault: faults.invalidJson })),
  halfAPage: partial((of) => syncFaulty(of, { fault: faults.halfOfRows })),
  // The whole list is read in parts of some days; rows may move from one to another meanwhile.
  inParts: partial((of) => {
    return syncFaulty(of, {
      fault: faults.huge(11 * 2 ** 20),
      path: 'transactions\\?include_pending=true$',
    })
  }),
} satisfies Record<string, SyncWay>

export type SyncKind = keyof typeof syncKinds

function whole(run: SyncWay['run']): SyncWay {
  return { isWhole: true, run }
}

function partial(run: SyncWay['run']): SyncWay {
  return { isWhole: false, run }
}

/** Syncs while the provider answers some requests of the bank account with a fault. */
async function syncFaulty(
  { home, world: { provider } }: Syncing,
  { fault, times, path = 'transactions' }: { fault: Fault; times?: number; path?: string },
): Promise<void> {
  const pattern = new RegExp(`accounts/${home.feedId}/${path}`)
  provider.fault(pattern, fault, times)
  await home.sync()
  provider.fault(pattern, null)
}

/** Requests a sync while one reads the balance; `meanwhile` happens before. */
async function syncTwice(
  { home, world: { provider } }: Syncing,
  _chance: Chance,
  meanwhile: () => void,
): Promise<void> {
  const path = new RegExp(`accounts/${home.feedId}/balance`)
  const { promise, resolve } = Promise.withResolvers<void>()
  provider.fault(path, faults.hold(promise), 1)
  const from = provider.requests.length
  await home.request()
  const isAsked = async () => provider.requests.slice(from).some((one) => path.test(one))
  await eventually(isAsked, Boolean)
  meanwhile()
  await home.request()
  resolve()
  await home.ended()
}

const stepsMax = 60

/** Syncs while a service crashes before one of its next statements, and restarts. */
async function syncKilled({ home }: Syncing, mortal: Mortal, { pick }: Chance): Promise<void> {
  mortal.killBefore(1 + (pick % stepsMax))
  await home.request()
  let isEnded = false
  const ended = home.ended().then(() => {
    isEnded = true
  })
  await eventually(async () => isEnded || mortal.isKilled(), Boolean)
  mortal.revive()
  await ended
}

/** Delivers all requests of syncs of the account again, under new message IDs. */
async function publishAgain({ world, home }: Syncing): Promise<void> {
  const { broker } = world.coffer.booted
  for (const { subject, data, header } of await storedMessages(broker)) {
    const isOwn = header.get('Coffer-Account') === home.person.accountId
    if (!isOwn || !subject.endsWith('feed-sync-requested')) continue
    header.delete('Nats-Msg-Id')
    await broker.stream.publish(subject, data, { msgID: newId('chg'), headers: header })
  }
}
