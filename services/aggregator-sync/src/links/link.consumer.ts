import { type Handler, on } from '@coffer/kit/events/handler'
import { AggregatorLinkSettingUpSchema } from '@coffer/proto/aggregatorsync/v1/events'
import { LinkDeletedSchema } from '@coffer/proto/ledger/v1/events'
import type { LinkDeps } from '../connections/upstream-call.service.ts'
import { endConnection, startFinish } from './link-release.service.ts'

/** Returns the handlers of unfinished and of deleted links. */
export function linkHandlers(deps: LinkDeps): Handler[] {
  return [
    on(AggregatorLinkSettingUpSchema, (key) => startFinish(deps, key)),
    // The ledger's clean-up of a deleted link also ends the connection, but not during an update,
    // while an older process of the ledger does the clean-up.
    on(LinkDeletedSchema, ({ accountId, linkId }) => endConnection(deps, { accountId, linkId })),
  ]
}
