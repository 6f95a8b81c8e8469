import { AccountService } from '@coffer/proto/identity/v1/account'
import { Code, ConnectError } from '@connectrpc/connect'
import type { Database } from '../database/database.ts'
import { refused, unavailable } from '../rpc/errors.ts'
import { asSystem } from '../rpc/system-call.ts'
import type { ServiceDeps } from '../service/service.ts'
import { markDeleted, removeRowsOfAccount } from './account-removal.sql.ts'

/** Throws refused unless the deletion of the account was requested. */
export type RequireDeletion = (accountId: string) => Promise<void>

/**
 * Returns the Temporal activities that delete an account's rows in one service. Each is idempotent,
 * and refused unless the deletion was requested: only identity's database proves the request, not a
 * workflow. A service that stores data outside Postgres exports its own activities of the same
 * names (docs/account-data.md#deletion).
 */
export function accountRemovalActivities(database: Database, requireDeletion: RequireDeletion) {
  return {
    /** Marks the account as deleted; handlers then ignore its messages that arrive later. */
    closeAccount: async (accountId: string): Promise<void> => {
      await requireDeletion(accountId)
      await markDeleted(database, accountId)
    },
    /** Deletes a batch of the account's rows; returns true when none is left. */
    removeAccountRows: async (accountId: string): Promise<boolean> => {
      await requireDeletion(accountId)
      return removeRowsOfAccount(database, accountId)
    },
  }
}

/** Returns a check that calls identity, whose database has the requests to delete accounts. */
export function askIdentity(deps: Pick<ServiceDeps, 'mesh' | 'signer' | 'clock'>): RequireDeletion {
  return async (accountId) => {
    const { requestedAt } = await deps.mesh
      .client('identity', AccountService)
      .getDeletion({}, asSystem(deps, accountId))
      .catch((error) => {
        // until 0.4: identity of 0.2.0 has no such RPC.
        const isFormer = ConnectError.from(error).code === Code.Unimplemented
        throw isFormer ? unavailable('identity is of the version before') : error
      })
    requireRequested(requestedAt !== undefined)
  }
}

/** Throws refused if the deletion of an account was not requested. */
export function requireRequested(isRequested: boolean): void {
  if (!isRequested) throw refused('The deletion of the account was not requested')
}
