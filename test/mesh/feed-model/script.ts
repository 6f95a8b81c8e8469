import fc from 'fast-check'
import { type BankEvent, bankEvents } from './bank-events.ts'
import { type Chance, chances } from './chance.ts'
import { type SyncKind, syncKinds } from './sync-kinds.ts'
import { type UserAction, userActions } from './user-actions.ts'

/** Events and actions before a sync, and the kind of the sync. */
export interface Round {
  events: { kind: BankEvent; chance: Chance }[]
  actions: { kind: UserAction; chance: Chance }[]
  sync: { kind: SyncKind; chance: Chance }
}

/** Events that others need before them, so that scripts have more of these. */
const often: readonly BankEvent[] = [
  'pend',
  'pendWithoutId',
  'buyAlike',
  'postAlike',
  'settle',
  'settleUnderOtherId',
  'dropBeforePosting',
  'postDropped',
]

/** Returns a generator of steps: each kind once, and `count` of `further`, in random order. */
function steps<Kind extends string>(
  kinds: readonly Kind[],
  { count, further = kinds }: { count: number; further?: readonly Kind[] },
) {
  const more = fc.array(fc.constantFrom(...further), { minLength: count, maxLength: count })
  const all = more.chain((added) => {
    const both = kinds.concat(added)
    return fc.shuffledSubarray(both, { minLength: both.length, maxLength: both.length })
  })
  return all.chain((kept) => {
    return fc.tuple(...kept.map((kind) => chances.map((chance) => ({ kind, chance }))))
  })
}

const events = Object.keys(bankEvents) as BankEvent[]

/** A random script of rounds, with each kind of event, action and sync. */
export const scripts: fc.Arbitrary<Round[]> = fc
  .record({
    events: steps(events, { count: 120, further: events.concat(often, often) }),
    actions: steps(Object.keys(userActions) as UserAction[], { count: 18 }),
    syncs: steps(Object.keys(syncKinds) as SyncKind[], { count: 0 }),
  })
  .map(({ events, actions, syncs }) =>
    syncs.map((sync, round) => {
      const { length } = syncs
      const of = {
        events: shareOf(events, round, length),
        actions: shareOf(actions, round, length),
      }
      return { ...of, sync }
    }),
  )
  // The message of a failure lists the steps that happened.
  .map((rounds) => Object.assign(rounds, { [fc.toStringMethod]: () => `${rounds.length} rounds` }))

/** Returns the elements of a list that belong to one of so many rounds. */
function shareOf<One>(all: readonly One[], round: number, rounds: number): One[] {
  const at = (end: number) => Math.floor((end * all.length) / rounds)
  return all.slice(at(round), at(round + 1))
}
