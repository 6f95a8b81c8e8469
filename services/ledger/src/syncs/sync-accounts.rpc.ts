import { nextVersion } from '@coffer/kit/database/version'
import { callerOf } from '@coffer/kit/rpc/rpc'
import type { ServiceDeps } from '@coffer/kit/service/service'
import { newId } from '@coffer/kit/values/id'
import type {
  SetBalancesRequest,
  SyncImportService,
  UpsertBankAccountsRequest,
} from '@coffer/proto/ledger/v1/sync_import'
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect'
import { createBankAccounts } from '../accounts/bank-account-creation.service.ts'
import type { Bounds } from '../accounts/bounds.sql.ts'
import { findLink } from '../accounts/link.sql.ts'
import { requireWritable } from '../book/bank-account.ts'
import type { Link } from '../book/link.ts'
import { atLeastZero } from '../book/money.ts'
import type { Creation, Current, Decision } from '../money/unit-of-work.ts'
import type { MoneyWriter } from '../money/writer.service.ts'
import { matchAccounts } from './account-match.ts'
import { requireActiveLink, requireSource } from './link-source.ts'
import { listSynced } from './provider.sql.ts'
import {
  type AccountRow,
  currentIdOf,
  readAccounts,
  type SyncedAccount,
} from './provider-account.ts'
import {
  createSyncedAccount,
  deactivateAccount,
  refreshAccount,
  settleBalances,
} from './sync-accounts.ts'

type Deps = Pick<ServiceDeps, 'database' | 'clock'> & MoneyWriter & { config: Bounds }

/** Returns the RPC handlers that import bank accounts (docs/syncs.md#import-calls). */
export function accountSyncRoutes(
  deps: Deps,
): Pick<
  ServiceImpl<typeof SyncImportService>,
  'upsertBankAccounts' | 'listSyncedBankAccounts' | 'setBalances'
> {
  return {
    upsertBankAccounts: (request, context) => upsertAccounts(deps, request, context),
    listSyncedBankAccounts: async ({ linkId }, context) => {
      const { accountId, issuer } = callerOf(context)
      requireActiveLink(await findLink(deps.database, accountId, linkId), issuer)
      const accounts = await listSynced(deps.database.pool, { accountId, linkId })
      return { accounts: accounts.map((synced) => toReply(synced)) }
    },
    setBalances: (request, context) => setBalances(deps, request, context),
  }
}

type Upserted = { synced: SyncedAccount; isNew: boolean }

/** Bank accounts that a provider lists for a link; `isComplete` if the list has all of them. */
interface Listed {
  link: Link
  rows: readonly AccountRow[]
  isComplete: boolean
}

async function upsertAccounts(
  deps: Deps,
  request: UpsertBankAccountsRequest,
  context: HandlerContext,
) {
  const { accountId, issuer } = callerOf(context)
  const { linkId, isComplete, knownOnly } = request
  const rows = readAccounts(request.accounts)
  const link = requireActiveLink(await findLink(deps.database, accountId, linkId), issuer)
  const refreshed = await refreshKnown(deps, { link, rows, isComplete }, context)
  const isAll = knownOnly || refreshed.size === rows.length
  const created = isAll ? refreshed : await createUnknown(deps, { link, rows, isComplete }, context)
  const upserted = rows.flatMap((row) => refreshed.get(row) ?? created.get(row) ?? [])
  return { accounts: upserted.map(({ synced, isNew }) => toReply(synced, isNew)) }
}

/**
 * Updates the bank accounts that match rows, and deactivates those that a complete list does not
 * contain. Returns the updated ones, keyed by row.
 */
async function refreshKnown(
  { database, writeEach }: Deps,
  { link, rows, isComplete }: Listed,
  context: HandlerContext,
): Promise<Map<AccountRow, Upserted>> {
  const { accountId, userId: createdBy, issuer } = callerOf(context)
  const known = await listSynced(database.pool, link)
  const matches = matchAccounts(rows, { known, isComplete })
  const workOn = (
    { bankAccount: { bankAccountId } }: SyncedAccount,
    decide: (current: Current) => Decision<SyncedAccount | null>,
  ) => {
    const scope = { accountId, bankAccountId, readsProvider: true }
    return {
      scope,
      createdBy,
      isAlone: true,
      decide: (current: Current) => {
        // The link may have been detached since it was read.
        requireSource(current.bankAccount, issuer)
        return decide(current)
      },
    }
  }
  const found = rows.flatMap((row) => {
    const match = matches.get(row)
    return match ? { row, ...match } : []
  })
  const listed = new Set(found.map(({ synced }) => synced))
  const missing = isComplete ? known.filter((one) => !listed.has(one)) : []
  const outcomes = await writeEach([
    ...found.map(({ row, synced, reason }) =>
      workOn(synced, (current) => refreshAccount(current, { link, row, reason })),
    ),
    ...missing.map((synced) => workOn(synced, deactivateAccount)),
  ])
  const refreshed = new Map<AccountRow, Upserted>()
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome.status === 'rejected') throw outcome.reason
    const row = found[index]?.row
    if (row && outcome.value) refreshed.set(row, { synced: outcome.value, isNew: false })
  }
  return refreshed
}

/** Creates a bank account for each row that matches none. Returns bank accounts keyed by row. */
function createUnknown(
  deps: Deps,
  { link, rows, isComplete }: Listed,
  context: HandlerContext,
): Promise<Map<AccountRow, Upserted>> {
  const { issuer, userId: createdBy } = callerOf(context)
  const now = deps.clock()
  const operation = { operationId: newId('op'), now, createdBy, version: nextVersion(0n, now) }
  const bankAccountIds = rows.map(() => newId('bac'))
  return createBankAccounts(deps, link, async (shared, tx) => {
    requireActiveLink(shared, issuer)
    // Matches again: a concurrent call with the same list may have created bank accounts.
    const matches = matchAccounts(rows, { known: await listSynced(tx, link), isComplete })
    const reply = new Map<AccountRow, Upserted>()
    const creations: Creation<SyncedAccount>[] = []
    for (const [index, row] of rows.entries()) {
      const match = matches.get(row)
      if (match) {
        reply.set(row, { synced: match.synced, isNew: false })
      } else {
        const id = bankAccountIds[index] ?? ''
        const creation = createSyncedAccount({ link, row, operation }, id)
        creations.push(creation)
        reply.set(row, { synced: creation.reply, isNew: true })
      }
    }
    return { creations, reply }
  })
}

function setBalances({ write }: Deps, request: SetBalancesRequest, context: HandlerContext) {
  const { accountId, issuer, userId: createdBy } = callerOf(context)
  const { bankAccountId, availableBalance, currentBalance, limitBalance } = request
  const stated = {
    available: availableBalance ?? null,
    current: currentBalance ?? null,
    limit: limitBalance === undefined ? null : atLeastZero(limitBalance),
  }
  return write({
    scope: { accountId, bankAccountId, spendingIds: [] },
    createdBy,
    signal: context.signal,
    decide: ({ bankAccount, operation }) => {
      requireWritable(bankAccount)
      requireSource(bankAccount, issuer)
      const settlement = settleBalances({ bankAccount, operation }, stated)
      const reply = { isChanged: settlement !== null }
      return settlement ? { settlement, reply } : { reply }
    },
  })
}

function toReply(synced: SyncedAccount, isNew = false) {
  const { bankAccountId, currency, status, deletedAt, feedBankAccountId } = synced.bankAccount
  return {
    bankAccountId,
    currency,
    status,
    isNew,
    providerAccountId: currentIdOf(synced),
    isArchived: deletedAt !== null,
    ...(feedBankAccountId ? { feedBankAccountId } : {}),
  }
}
