import { create } from '@bufbuild/protobuf'
import { timestampDate } from '@bufbuild/protobuf/wkt'
import { keptReplies, once } from '@coffer/kit/database/idempotency'
import { nextVersion } from '@coffer/kit/database/version'
import { notFound } from '@coffer/kit/rpc/errors'
import { patchOf, toMessage } from '@coffer/kit/rpc/message'
import { requireMatch } from '@coffer/kit/rpc/object-tag'
import { callerOf } from '@coffer/kit/rpc/rpc'
import type { ServiceDeps } from '@coffer/kit/service/service'
import { currencyOf } from '@coffer/kit/values/currency'
import { newId } from '@coffer/kit/values/id'
import {
  BalancesSchema,
  type BankAccount as BankAccountMessage,
  BankAccountSchema,
  type BankAccountService,
  type CreateBankAccountRequest,
  CreateBankAccountResponseSchema,
  UpdateBankAccountRequestSchema,
} from '@coffer/proto/ledger/v1/bank_account'
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect'
import { type BankAccount, balancesOf } from '../book/bank-account.ts'
import type { AccountRecord } from '../book/provider-record.ts'
import type { Locked, Settlement } from '../money/operation.ts'
import type { MoneyWriter } from '../money/writer.service.ts'
import { renderBankAccount } from '../records/account-records.ts'
import { findAccountRecords } from '../records/provider-record.sql.ts'
import {
  getBankAccount,
  listBankAccounts,
  listBankAccountsOfLink,
  listOverviews,
} from './bank-account.sql.ts'
import {
  archiveBankAccount,
  type BankAccountPatch,
  changeBankAccount,
  createBankAccount,
  requireOwnLink,
  restoreBankAccount,
} from './bank-account-change.ts'
import { createBankAccounts, refuseTaken } from './bank-account-creation.service.ts'
import { bankAccountHints } from './bank-account-hints.ts'
import type { Bounds } from './bounds.sql.ts'
import { findLink } from './link.sql.ts'

type Deps = Pick<ServiceDeps, 'database' | 'clock'> & MoneyWriter & { config: Bounds }

/** Returns the RPC handlers of bank accounts and balances (docs/links.md#bank-accounts). */
export function bankAccountRoutes(deps: Deps): ServiceImpl<typeof BankAccountService> {
  const { database } = deps
  const get = (bankAccountId: string, context: HandlerContext) =>
    getBankAccount(database, callerOf(context).accountId, bankAccountId)
  return {
    listBankAccounts: async ({ linkId }, context) => {
      const { accountId } = callerOf(context)
      const bankAccounts = linkId
        ? await accountsOfLink(deps, accountId, linkId)
        : await listBankAccounts(database, accountId)
      return { bankAccounts: await withRecords(deps, accountId, bankAccounts) }
    },
    listOverviews: async (_request, context) => {
      const overviews = await listOverviews(database, callerOf(context).accountId)
      const bankAccounts = overviews.map(({ unassignedCount, isUnassignedCountExact, ...one }) => ({
        bankAccount: toMessage(BankAccountSchema, one),
        balance: toMessage(BalancesSchema, balancesOf(one)),
        unassignedCount,
        isUnassignedCountExact,
      }))
      return { bankAccounts }
    },
    getBankAccount: async ({ bankAccountId }, context) => {
      const { accountId } = callerOf(context)
      const one = await get(bankAccountId, context)
      const [bankAccount] = await withRecords(deps, accountId, [one])
      return bankAccount ? { bankAccount } : {}
    },
    describeBankAccount: async ({ bankAccountId }, context) => {
      const { linkId, linkType, deletedAt, version } = await get(bankAccountId, context)
      return { bankAccountId, linkId, linkType, archived: deletedAt !== null, version }
    },
    getBalances: async ({ bankAccountId }, context) => {
      const bankAccount = await get(bankAccountId, context)
      const { version } = bankAccount
      return { balances: toMessage(BalancesSchema, balancesOf(bankAccount)), version }
    },
    createBankAccount: (request, context) => createOnLink(deps, request, context),
    updateBankAccount: async (request, context) => {
      const { accountId } = callerOf(context)
      const { bankAccountId } = request
      const patch = patchOf(UpdateBankAccountRequestSchema, request) as BankAccountPatch
      // The record is read before the write: an error after the commit would hide a saved change.
      const records = await findAccountRecords(database, accountId, [bankAccountId])
      const key = { context, id: bankAccountId }
      const { before, bankAccount } = await change(deps, key, (locked) =>
        changeBankAccount(locked, patch),
      ).catch(refuseTaken)
      const hints = bankAccountHints(before, bankAccount)
      return { bankAccount: renderBankAccount(bankAccount, records.get(bankAccountId)), hints }
    },
    archiveBankAccount: async ({ bankAccountId: id }, context) => {
      const {
        before: { feedBankAccountId },
      } = await change(deps, { context, id }, (locked) => {
        const archived = archiveBankAccount(locked.bankAccount, locked.operation.now)
        return { bankAccount: archived, envelopes: [], entries: [] }
      })
      return feedBankAccountId === null ? {} : { feedBankAccountId }
    },
    restoreBankAccount: async ({ bankAccountId: id }, context) => {
      const { bankAccount } = await change(deps, { context, id }, (locked) => {
        const restored = restoreBankAccount(locked.bankAccount, locked.operation.now)
        return { bankAccount: restored, envelopes: [], entries: [] }
      }).catch(refuseTaken)
      return { bankAccount: toMessage(BankAccountSchema, bankAccount) }
    },
  }
}

/** Returns messages of bank accounts; those of aggregator links include the provider's record. */
async function withRecords(
  { database }: Deps,
  accountId: string,
  bankAccounts: readonly BankAccount[],
): Promise<BankAccountMessage[]> {
  const synced = bankAccounts.filter(({ linkType }) => linkType === 'aggregator')
  const ids = synced.map(({ bankAccountId }) => bankAccountId)
  const records =
    ids.length > 0
      ? await findAccountRecords(database, accountId, ids)
      : new Map<string, AccountRecord>()
  return bankAccounts.map((one) => renderBankAccount(one, records.get(one.bankAccountId)))
}

async function accountsOfLink(
  { database }: Deps,
  accountId: string,
  linkId: string,
): Promise<readonly BankAccount[]> {
  const bankAccounts = await listBankAccountsOfLink(database, accountId, linkId)
  if (bankAccounts.length > 0) return bankAccounts
  // A deleted link gives an empty list; 404 means that the link never existed (docs/links.md).
  if (!(await findLink(database, accountId, linkId))) throw notFound('link')
  return []
}

async function createOnLink(
  deps: Deps,
  request: CreateBankAccountRequest,
  context: HandlerContext,
) {
  const { database, clock } = deps
  return once({ database, context, reply: CreateBankAccountResponseSchema }, (key) => {
    const { accountId, userId: createdBy, locale } = callerOf(context)
    const { linkId, currency = currencyOf(locale) } = request
    const balancesAsOf = request.balancesAsOf && timestampDate(request.balancesAsOf)
    const body = { ...request, balancesAsOf, currency, bankAccountId: newId('bac') }
    const now = clock()
    const operation = { operationId: newId('op'), now, createdBy, version: nextVersion(0n, now) }
    return createBankAccounts(deps, { accountId, linkId }, (link) => {
      requireOwnLink(link)
      const settlement = createBankAccount({ link, operation }, body)
      const bankAccount = toMessage(BankAccountSchema, settlement.bankAccount)
      const reply = create(CreateBankAccountResponseSchema, {
        bankAccount,
        hints: bankAccountHints(null, settlement.bankAccount),
      })
      return { creations: [{ settlement, reply, replies: keptReplies(key, reply) }], reply }
    })
  })
}

async function change(
  { write }: Deps,
  { context, id }: { context: HandlerContext; id: string },
  decide: (locked: Locked) => Settlement,
): Promise<{ before: BankAccount; bankAccount: BankAccount }> {
  const { accountId, userId: createdBy } = callerOf(context)
  return write({
    scope: { accountId, bankAccountId: id, spendingIds: [] },
    signal: context.signal,
    createdBy,
    decide: (locked) => {
      requireMatch(context, BankAccountSchema, toMessage(BankAccountSchema, locked.bankAccount))
      const settlement = decide(locked)
      const { bankAccount } = settlement
      return { settlement, reply: { before: locked.bankAccount, bankAccount } }
    },
  })
}
