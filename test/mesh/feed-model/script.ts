import { type Round as AnyRound, scriptsOf } from '../sync-model/script.ts'
import { type BankEvent, bankEvents } from './bank-events.ts'
import { type SyncKind, syncKinds } from './sync-kinds.ts'

export type Round = AnyRound<BankEvent, SyncKind>

/** A random script of rounds, with each kind of event, action and sync. */
export const scripts = scriptsOf({
  events: Object.keys(bankEvents) as BankEvent[],
  often: [
    'pend',
    'pendWithoutId',
    'buyAlike',
    'postAlike',
    'settle',
    'settleUnderOtherId',
    'dropBeforePosting',
    'postDropped',
    'settleWithTip',
  ],
  count: 120,
  syncs: Object.keys(syncKinds) as SyncKind[],
})
