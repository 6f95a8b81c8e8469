import fc from 'fast-check'
import { type Chance, chances } from './chance.ts'
import { type UserAction, userActions } from './user-actions.ts'

export interface Step<Kind> {
  kind: Kind
  chance: Chance
}

/** Events and actions before a sync, and the kind of the sync. */
export interface Round<Event, Sync> {
  events: Step<Event>[]
  actions: Step<UserAction>[]
  sync: Step<Sync>
}

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

/**
 * Returns a generator of scripts of rounds, with each kind of event, action and sync. `often` are
 * events that others need before them, so that scripts have more of these.
 */
export function scriptsOf<Event extends string, Sync extends string>(of: {
  events: readonly Event[]
  often: readonly Event[]
  count: number
  syncs: readonly Sync[]
}): fc.Arbitrary<Round<Event, Sync>[]> {
  const further = of.events.concat(of.often, of.often)
  return (
    fc
      .record({
        events: steps(of.events, { count: of.count, further }),
        actions: steps(Object.keys(userActions) as UserAction[], { count: 18 }),
        syncs: steps(of.syncs, { count: 0 }),
      })
      .map(({ events, actions, syncs }) =>
        syncs.map((sync, round) => {
          const { length } = syncs
          const share = {
            events: shareOf(events, round, length),
            actions: shareOf(actions, round, length),
          }
          return { ...share, sync }
        }),
      )
      // The message of a failure lists the steps that happened.
      .map((rounds) => {
        return Object.assign(rounds, { [fc.toStringMethod]: () => `${rounds.length} rounds` })
      })
  )
}

/** Returns the elements of a list that belong to one of so many rounds. */
function shareOf<One>(all: readonly One[], round: number, rounds: number): One[] {
  const at = (end: number) => Math.floor((end * all.length) / rounds)
  return all.slice(at(round), at(round + 1))
}
