import { type Handler, on } from '@coffer/kit/events/handler'
import { AggregatorLinkSettingUpSchema } from '@coffer/proto/aggregatorsync/v1/events'
import { LinkDeletedSchema } from '@coffer/proto/ledger/v1/events'
import type { LinkDeps } from '../connections/upstream-call.service.ts'
import { endConnection, startFinish } from './link-release.service.ts'

/** Returns the handlers of unfinished and of deleted links. */
export function linkHandlers(deps: LinkDeps): Handler[] {
  return [
    on(AggregatorLinkSettingUpSchema, (key) => startFinish(deps, key)),
    // Needed beside the ledger's clean-up, which cannot end the connection while its replicas are
    // of another version.
    on(LinkDeletedSchema, ({ accountId, linkId }) => endConnection(deps, { accountId, linkId })),
  ]
}
