import { timestampMs } from '@bufbuild/protobuf/wkt'
import { notFound } from '@coffer/kit/rpc/errors'
import type { BankAccountSyncHealth, SyncError, SyncHealth } from '@coffer/proto/sync/v1/health'
import type { State } from './progress.ts'

// Order of the statuses in the sync of a bank account.
const positions = new Map([
  ['begin', 1],
  ['transactions', 2],
  ['balances', 3],
  ['complete', 4],
  ['error', 4],
])

/** Keys of a frame about a feed sync. */
export const feedProgressKeys = ['bankAccountId', 'status', 'error']

/** Schema of a frame about a feed sync. */
export const feedProgressFrame = {
  type: 'object',
  properties: {
    bankAccountId: { type: 'string', description: 'ID of the synced bank account' },
    status: {
      type: 'string',
      enum: [...positions.keys()],
      description: 'complete and error are in the last frame',
    },
    error: { type: 'string', description: 'The failure in words, with the status error' },
  },
  required: ['bankAccountId', 'status'],
}

/** Statuses that end the sync of a bank account. */
export const feedFinalStatuses = ['complete', 'error']

/**
 * Returns a filter for progress messages of a bank account. It drops repeated and earlier statuses,
 * which retried activities send, and messages of a run after a later run has started.
 */
export function createRunOrder(): (message: State) => boolean {
  const runs = new Set<unknown>()
  let run: unknown = null
  let position = 0
  return (message) => {
    const next = positions.get(message.status) ?? 0
    if (next === 0) return false
    if (message.run === run) {
      if (next <= position) return false
    } else {
      if (runs.has(message.run)) return false
      run = message.run
      runs.add(run)
    }
    position = next
    return true
  }
}

/**
 * Returns a function that is called with each read of a link's sync state. It returns the final
 * state of a bank account if a sync has ended since the first read that contained it, else null.
 * Throws notFound if the bank account is no longer synced: it was archived or its link was deleted.
 */
export function createEndDetector(bankAccountId: string): (health: SyncHealth) => State | null {
  let known: BankAccountSyncHealth | undefined
  let knownFailureMs = 0
  return (health) => {
    const found = health.bankAccounts.find((one) => one.bankAccountId === bankAccountId)
    const account = found?.status === 'inactive' ? undefined : found
    const failures = [account?.lastError, health.lastError]
    if (!known) {
      known = account
      knownFailureMs = Math.max(...failures.map(failureMsOf))
      return null
    }
    if (!account) throw notFound('bank account')
    if (account.syncCount > known.syncCount) {
      return finalState(bankAccountId, account.lastError?.text)
    }
    if (health.isSyncing) return null
    // A failure before the sync of the bank account began: the provider's list of bank accounts
    // failed, was postponed, or lacks this one.
    const failure = failures.find((one) => failureMsOf(one) > knownFailureMs)
    return failure ? finalState(bankAccountId, failure.text) : null
  }
}

function failureMsOf(failure: SyncError | undefined): number {
  return failure?.at ? timestampMs(failure.at) : 0
}

function finalState(bankAccountId: string, error: string | undefined): State {
  if (error === undefined) return { bankAccountId, status: 'complete' }
  return { bankAccountId, status: 'error', error }
}
