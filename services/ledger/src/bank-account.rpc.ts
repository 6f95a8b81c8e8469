import { create } from '@bufbuild/protobuf'
import { currencyOf } from '@coffer/kit/currency'
import { duplicate, notFound } from '@coffer/kit/errors'
import { newId } from '@coffer/kit/id'
import { keepReply, once } from '@coffer/kit/idempotency'
import { patchOf, toMessage } from '@coffer/kit/message'
import { callerOf } from '@coffer/kit/rpc'
import type { ServiceDeps } from '@coffer/kit/service'
import {
  BalancesSchema,
  BankAccountSchema,
  type BankAccountService,
  type CreateBankAccountRequest,
  CreateBankAccountResponseSchema,
  UpdateBankAccountRequestSchema,
} from '@coffer/proto/ledger/v1/bank_account'
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect'
import { UniqueIntegrityConstraintViolationError } from 'slonik'
import {
  findBankAccount,
  insertBankAccount,
  listBankAccounts,
  listBankAccountsOfLink,
} from './bank-account.sql.ts'
import { archiveBankAccount, type BankAccount, balancesOf } from './bank-account.ts'
import {
  type BankAccountPatch,
  changeBankAccount,
  createBankAccount,
  type NewBankAccount,
} from './bank-account-change.ts'
import type { Settlement } from './book.ts'
import { findLink, shareLink } from './link.sql.ts'
import type { MoneyWriter } from './money.rpc.ts'
import type { Locked } from './transaction.ts'

type Deps = Pick<ServiceDeps, 'database' | 'clock'> & { write: MoneyWriter }

/** Bank accounts and balances (spec/interface.md, Bank accounts). */
export function bankAccountRoutes(deps: Deps): ServiceImpl<typeof BankAccountService> {
  const { database } = deps
  const get = async (bankAccountId: string, context: HandlerContext) => {
    const { accountId } = callerOf(context)
    return found(await findBankAccount(database, accountId, bankAccountId))
  }
  return {
    listBankAccounts: async ({ linkId }, context) => {
      const { accountId } = callerOf(context)
      const bankAccounts = linkId
        ? await accountsOfLink(deps, accountId, linkId)
        : await listBankAccounts(database, accountId)
      return { bankAccounts: bankAccounts.map((one) => toMessage(BankAccountSchema, one)) }
    },
    getBankAccount: async ({ bankAccountId }, context) => {
      return { bankAccount: toMessage(BankAccountSchema, await get(bankAccountId, context)) }
    },
    describeBankAccount: async ({ bankAccountId }, context) => {
      const { linkId, linkType, deletedAt } = await get(bankAccountId, context)
      return { bankAccountId, linkId, linkType, archived: deletedAt !== null }
    },
    getBalances: async ({ bankAccountId }, context) => {
      const balances = balancesOf(await get(bankAccountId, context))
      return { balances: toMessage(BalancesSchema, balances) }
    },
    createBankAccount: (request, context) => open(deps, request, context),
    updateBankAccount: async (request, context) => {
      const patch = patchOf(UpdateBankAccountRequestSchema, request) as BankAccountPatch
      const bankAccount = await change(deps, { context, id: request.bankAccountId }, (locked) =>
        changeBankAccount(locked, patch),
      )
      return { bankAccount: toMessage(BankAccountSchema, bankAccount) }
    },
    archiveBankAccount: async ({ bankAccountId: id }, context) => {
      await change(deps, { context, id }, ({ bankAccount, operation }) => {
        const archived = archiveBankAccount(bankAccount, operation.now)
        return { bankAccount: archived, envelopes: [], entries: [] }
      })
      return {}
    },
  }
}

async function accountsOfLink(
  { database }: Deps,
  accountId: string,
  linkId: string,
): Promise<readonly BankAccount[]> {
  const bankAccounts = await listBankAccountsOfLink(database, accountId, linkId)
  if (bankAccounts.length > 0) return bankAccounts
  // A deleted link stays readable, and nothing is listed under it (spec/decisions.md, Ledger).
  if (!(await findLink(database, accountId, linkId))) throw notFound('link')
  return []
}

async function open(deps: Deps, request: CreateBankAccountRequest, context: HandlerContext) {
  const { database, clock } = deps
  return once({ database, context, reply: CreateBankAccountResponseSchema }, async (key) => {
    const { accountId, userId: createdBy, locale } = callerOf(context)
    const body = newBankAccount(request, locale)
    const operation = { operationId: newId('op'), now: clock(), createdBy }
    const run = database.transaction(async (tx) => {
      const link = await shareLink(tx, accountId, request.linkId)
      if (!link) throw notFound('link')
      const { bankAccount, entries } = createBankAccount({ link, operation }, body)
      const message = toMessage(BankAccountSchema, bankAccount)
      const reply = create(CreateBankAccountResponseSchema, { bankAccount: message })
      await insertBankAccount(tx, bankAccount, entries)
      await keepReply(tx, key, reply)
      return reply
    })
    return run.catch(refuseTaken)
  })
}

function newBankAccount(request: CreateBankAccountRequest, locale: string): NewBankAccount {
  return {
    bankAccountId: newId('bac'),
    name: request.name,
    currency: request.currency ?? currencyOf(locale),
    accountType: request.accountType ?? null,
    accountSubType: request.accountSubType ?? null,
    status: request.status ?? null,
    availableBalance: request.availableBalance ?? null,
    currentBalance: request.currentBalance ?? null,
    limitBalance: request.limitBalance ?? null,
    feedBankAccountId: request.feedBankAccountId ?? null,
    mask: request.mask ?? null,
    originalName: request.originalName ?? null,
  }
}

async function change(
  { write }: Deps,
  { context, id }: { context: HandlerContext; id: string },
  decide: (locked: Locked) => Settlement,
): Promise<BankAccount> {
  const { accountId, userId: createdBy } = callerOf(context)
  return write({
    scope: { accountId, bankAccountId: id, spendingIds: [] },
    signal: context.signal,
    createdBy,
    decide: (locked) => {
      const settlement = decide(locked)
      return { settlement, reply: settlement.bankAccount }
    },
  })
}

function found(bankAccount: BankAccount | null): BankAccount {
  if (!bankAccount) throw notFound('bank account')
  return bankAccount
}

/** A candidate of a feed link backs one live bank account (spec/ledger.md 2.3). */
function refuseTaken(error: unknown): never {
  const isTaken = error instanceof UniqueIntegrityConstraintViolationError
  if (isTaken && error.constraint === 'bank_accounts_feed') throw duplicate('bank account')
  throw error
}
