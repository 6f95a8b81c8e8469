import { requireWithin } from '@coffer/kit/account-bound.sql'
import { changeOf } from '@coffer/kit/changes'
import { invalid, notFound } from '@coffer/kit/errors'
import { isId, newId } from '@coffer/kit/id'
import { toMessage } from '@coffer/kit/message'
import { callerOf } from '@coffer/kit/rpc'
import type { ServiceDeps } from '@coffer/kit/service'
import { nextVersion } from '@coffer/kit/version'
import { LinkCreatedSchema } from '@coffer/proto/ledger/v1/events'
import type {
  SetBalancesRequest,
  SyncImportService,
  UpsertBankAccountsRequest,
  UpsertLinkRequest,
} from '@coffer/proto/ledger/v1/sync_import'
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect'
import { refuseTaken } from './bank-account.rpc.ts'
import { requireWritable } from './bank-account.ts'
import { type Bounds, bankAccountBound, linkBound } from './bounds.sql.ts'
import { subjectOf } from './link.rpc.ts'
import { findLink, insertLinkOnce, lockLink } from './link.sql.ts'
import { createAggregatorLink, type Link } from './link.ts'
import type { MoneyWriter } from './money/writer.service.ts'
import { atLeastZero } from './money.ts'
import { currentIdOf, readAccounts, type SyncedAccount } from './provider-account.ts'
import { nameOf } from './provider-item.ts'
import { listSynced, lockSynced, saveAccounts } from './sync-accounts.sql.ts'
import { settleBalances, upsertAccounts } from './sync-accounts.ts'
import { sourceOf } from './sync-kind.ts'

type Deps = Pick<ServiceDeps, 'database' | 'clock'> & MoneyWriter & { config: Bounds }

/** What the syncs bring in of links and bank accounts (spec/syncs.md 1.4, 2.7, 2.8, 3.4). */
export function accountSyncRoutes(
  deps: Deps,
): Omit<ServiceImpl<typeof SyncImportService>, 'importTransactions' | 'removeTransactions'> {
  return {
    upsertLink: (request, context) => upsertLink(deps, request, context),
    upsertBankAccounts: (request, context) => upsert(deps, request, context),
    listSyncedBankAccounts: async ({ linkId }, context) => {
      const { accountId, issuer } = callerOf(context)
      live(await findLink(deps.database, accountId, linkId), issuer)
      const accounts = await listSynced(deps.database, { accountId, linkId })
      return { accounts: accounts.map((synced) => toReply(synced)) }
    },
    setBalances: (request, context) => setBalances(deps, request, context),
  }
}

async function upsertLink(
  { config, database, clock }: Deps,
  request: UpsertLinkRequest,
  context: HandlerContext,
) {
  const { accountId, userId, issuer } = callerOf(context)
  const { linkId, createdBy = userId } = request
  if (!isId('link', linkId)) throw invalid({ linkId: 'is not the ID of a link' })
  const institutionName = nameOf(request.institutionName)
  if (institutionName === '') throw invalid({ institutionName: 'is required' })
  const body = { linkId, institutionName }
  const link = createAggregatorLink(body, { accountId, createdBy, now: clock() })
  const event = changeOf(LinkCreatedSchema, subjectOf(link), toMessage(LinkCreatedSchema, link))
  const isNew = await database.transaction(async (tx) => {
    const isInserted = await insertLinkOnce(tx, link, [event])
    if (isInserted) await requireWithin(tx, linkBound(config, accountId))
    return isInserted
  })
  if (!isNew) live(await findLink(database, accountId, linkId), issuer)
  return { isNew }
}

/** Upserts of one link take turns: the second finds what the first has made. */
function upsert(
  { config, database, clock }: Deps,
  request: UpsertBankAccountsRequest,
  context: HandlerContext,
) {
  const { accountId, issuer, userId: createdBy } = callerOf(context)
  const { linkId, isComplete, knownOnly } = request
  const items = readAccounts(request.accounts)
  const bankAccountIds = items.map(() => newId('bac'))
  const operationId = newId('op')
  const now = clock()
  const run = database.transaction(async (tx) => {
    const link = live(await lockLink(tx, accountId, linkId), issuer)
    const known = await lockSynced(tx, link)
    const version = nextVersion(newestVersion(known), now)
    const operation = { operationId, now, createdBy, version }
    const batch = { link, operation, items, known, bankAccountIds, isComplete, knownOnly }
    const { changes, upserted } = upsertAccounts(batch)
    const isChanged = Object.values(changes).some((rows) => rows.length > 0)
    if (isChanged) await saveAccounts(tx, { accountId, ...changes })
    if (changes.inserted.length > 0) await requireWithin(tx, bankAccountBound(config, accountId))
    return { accounts: upserted.map(({ synced, isNew }) => toReply(synced, isNew)) }
  })
  return run.catch(refuseTaken)
}

function newestVersion(known: readonly SyncedAccount[]): bigint {
  const versions = known.map(({ bankAccount }) => bankAccount.version)
  return versions.sort((one, other) => (one < other ? 1 : -1))[0] ?? 0n
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
      sourceOf(bankAccount, issuer)
      const settlement = settleBalances({ bankAccount, operation }, stated)
      const reply = { isChanged: settlement !== null }
      return settlement ? { settlement, reply } : { reply }
    },
  })
}

function live(link: Link | null, issuer: string): Link {
  if (!link || link.deletedAt !== null) throw notFound('link')
  sourceOf(link, issuer)
  return link
}

function toReply(synced: SyncedAccount, isNew = false) {
  const { bankAccountId, currency, status, deletedAt, feedBankAccountId } = synced.bankAccount
  return {
    ...{ bankAccountId, currency, status, isNew },
    providerAccountId: currentIdOf(synced),
    isArchived: deletedAt !== null,
    ...(feedBankAccountId ? { feedBankAccountId } : {}),
  }
}
