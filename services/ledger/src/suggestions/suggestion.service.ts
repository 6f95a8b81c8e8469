import { create } from '@bufbuild/protobuf'
import type { ServiceDeps } from '@coffer/kit/service/service'
import { type Suggestion, SuggestionSchema } from '@coffer/proto/ledger/v1/transaction'
import type { SyncedTransaction } from '../syncs/provider-transaction.ts'
import { listUnposted, suggestPending, unjoinedRecord } from '../syncs/tip-pairs.ts'
import { listPendingNear } from './suggestion.sql.ts'

/**
 * Returns the function that lists the suggestions of a transaction (docs/syncs.md#suggestions).
 * Only a provider's posted transaction that never was pending has any; for others nothing is read.
 */
export function suggestionReader({ database }: Pick<ServiceDeps, 'database'>) {
  return async (posted: SyncedTransaction): Promise<Suggestion[]> => {
    const { transaction } = posted
    if (transaction.deletedAt !== null || unjoinedRecord(posted) === null) return []
    const pendings = listUnposted(await listPendingNear(database, transaction))
    return suggestPending(posted, pendings).map(({ transactionId, score }) =>
      create(SuggestionSchema, { kind: 'pending', transactionId, score }),
    )
  }
}
