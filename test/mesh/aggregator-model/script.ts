import { type Round as AnyRound, scriptsOf } from '../sync-model/script.ts'
import { type BankEvent, bankEvents } from './bank-events.ts'
import { type SyncKind, syncKinds } from './sync-kinds.ts'

export type Round = AnyRound<BankEvent, SyncKind>

/** A random script of rounds, with each kind of event, action and sync. */
export const scripts = scriptsOf({
  events: Object.keys(bankEvents) as BankEvent[],
  often: [
    'pend',
    'pend',
    'post',
    'settle',
    'dropBeforePosting',
    'postDropped',
    'postBeside',
    'settleWithTip',
  ],
  count: 90,
  syncs: Object.keys(syncKinds) as SyncKind[],
})
