import type { MessageInitShape } from '@bufbuild/protobuf'
import type {
  ImportTransactionsRequestSchema,
  SetBalancesRequestSchema,
} from '@coffer/proto/ledger/v1/sync_import'
import { callFor, importsOf, type LedgerDeps } from '@coffer/sync-kit/ledger/ledger.client'
import { emptyTally, type Tally } from '@coffer/sync-kit/ledger/tally'
import { Code, ConnectError } from '@connectrpc/connect'

/** Returns in `matched` how many live records an import would replace by records of other IDs. */
export async function countReplaced(
  deps: LedgerDeps,
  accountId: string,
  batch: MessageInitShape<typeof ImportTransactionsRequestSchema>,
): Promise<Omit<Tally, 'removed'>> {
  try {
    const { replaced } = await importsOf(deps).countReplaced({ batch }, callFor(deps, accountId))
    return { ...emptyTally(), matched: replaced }
  } catch (error) {
    // until 0.4: a ledger of 0.2.0 has no such RPC.
    if (ConnectError.from(error).code === Code.Unimplemented) return emptyTally()
    throw error
  }
}

/** Sets balances of a bank account, in minor units of its currency; unset ones are unchanged. */
export async function setBalances(
  deps: LedgerDeps,
  accountId: string,
  request: MessageInitShape<typeof SetBalancesRequestSchema>,
): Promise<void> {
  await importsOf(deps).setBalances(request, callFor(deps, accountId))
}
