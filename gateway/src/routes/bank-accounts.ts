import { invalid } from '@coffer/kit/errors'
import type { Log } from '@coffer/kit/log'
import {
  FeedBankAccountSchema,
  FeedBankAccountService,
} from '@coffer/proto/feedsync/v1/feed_bank_account'
import {
  BalancesSchema,
  BankAccountSchema,
  BankAccountService,
  UpdateBankAccountRequestSchema,
} from '@coffer/proto/ledger/v1/bank_account'
import { LinkService } from '@coffer/proto/ledger/v1/link'
import type { Client } from '@connectrpc/connect'
import { z } from 'zod'
import { type FeedBankAccounts, withFeedBankAccounts } from '../feed-bank-account.ts'
import {
  accountStatus,
  accountSubType,
  accountType,
  currency,
  id,
  ignoringNull,
  mask,
  maskChange,
  money,
  name,
  notNegativeMoney,
  nullOr,
} from '../fields.ts'
import { optionalId } from '../query.ts'
import { given, rendered } from '../rest.ts'
import { type Route, route } from '../route.ts'
import type { RouteDeps } from '../routes.ts'
import { updateOf, valuesOf } from '../update.ts'

const creation = z.strictObject({
  linkId: id('link'),
  name,
  accountType: accountType.optional(),
  accountSubType: accountSubType.optional(),
  availableBalance: ignoringNull(money),
  currentBalance: ignoringNull(money),
  currency: ignoringNull(currency),
  limitBalance: ignoringNull(notNegativeMoney),
  feedBankAccountId: ignoringNull(id('lbac')),
  mask: ignoringNull(mask),
  originalName: name.optional(),
  status: accountStatus.optional(),
})

/** Every key some kind of account may change; the ledger refuses by the stored kind. */
const change = z.strictObject({
  name: name.optional(),
  accountType: accountType.optional(),
  accountSubType: accountSubType.optional(),
  availableBalance: money.optional(),
  currentBalance: money.optional(),
  currency: currency.optional(),
  limitBalance: nullOr(notNegativeMoney).optional(),
  mask: nullOr(maskChange).optional(),
})

/** Bank accounts (spec/interface.md, Bank accounts; spec/ledger.md 2). */
export function bankAccountRoutes({ mesh, log }: RouteDeps): Route[] {
  const accounts = mesh.client('ledger', BankAccountService)
  const candidates = mesh.client('feed-sync', FeedBankAccountService)
  const links = mesh.client('ledger', LinkService)
  return [
    ...reads(accounts, candidates),
    ...writes(accounts, links),
    changeRoute({ accounts, candidates, log }),
  ]
}

type Accounts = Client<typeof BankAccountService>

const answer = { message: BankAccountSchema, with: { feedBankAccount: FeedBankAccountSchema } }

function reads(accounts: Accounts, candidates: FeedBankAccounts): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/bank_accounts',
      summary: 'Live bank accounts; with link_id every account the link ever had, or null',
      auth: 'key',
      query: z.object({ link_id: optionalId('link') }),
      answer: { list: answer },
      handler: async ({ query: { link_id: linkId }, options }) => {
        const { bankAccounts } = await accounts.listBankAccounts(valuesOf({ linkId }), options)
        if (linkId && bankAccounts.length === 0) return null
        return withFeedBankAccounts(bankAccounts, candidates, options)
      },
    }),
    route({
      method: 'GET',
      path: '/api/bank_accounts/:bankAccountId',
      summary: 'One bank account, archived ones included',
      auth: 'key',
      answer,
      handler: async ({ params, options }) => {
        const { bankAccount } = await accounts.getBankAccount(params, options)
        return (await withFeedBankAccounts([given(bankAccount)], candidates, options))[0]
      },
    }),
    route({
      method: 'GET',
      path: '/api/bank_accounts/:bankAccountId/balances',
      summary: 'Balances, with what is set aside and what is free to use',
      auth: 'key',
      answer: BalancesSchema,
      handler: async ({ params, options }) => {
        const { balances } = await accounts.getBalances(params, options)
        return rendered(BalancesSchema, balances)
      },
    }),
  ]
}

function writes(accounts: Accounts, links: Client<typeof LinkService>): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/bank_accounts',
      summary: 'Create a bank account on a manual or feed link',
      auth: 'key',
      idempotent: true,
      body: creation,
      answer: BankAccountSchema,
      handler: async ({ body, options, writeOptions }) => {
        if (body.feedBankAccountId !== undefined) {
          // Candidates come from a refresh of the connection; until one is made there are none.
          await links.getLink({ linkId: body.linkId }, options)
          throw invalid({ feedBankAccountId: 'is not an account of this link' })
        }
        const { bankAccount } = await accounts.createBankAccount(valuesOf(body), writeOptions)
        return rendered(BankAccountSchema, bankAccount)
      },
    }),
    route({
      method: 'DELETE',
      path: '/api/bank_accounts/:bankAccountId',
      summary: 'Archive a bank account; its data is kept',
      auth: 'key',
      handler: async ({ params, options }) => {
        await accounts.archiveBankAccount(params, options)
      },
    }),
  ]
}

function changeRoute({
  accounts,
  candidates,
  log,
}: {
  accounts: Accounts
  candidates: FeedBankAccounts
  log: Log
}): Route {
  return route({
    method: 'PATCH',
    path: '/api/bank_accounts/:bankAccountId',
    summary: 'Change a bank account; which keys depends on its kind',
    auth: 'key',
    find: ({ params, options }) => accounts.getBankAccount(params, options),
    body: change,
    answer,
    handler: async ({ params, body, options }) => {
      const update = { ...updateOf(UpdateBankAccountRequestSchema, body), ...params }
      const { bankAccount } = await accounts.updateBankAccount(update, options)
      try {
        return (await withFeedBankAccounts([given(bankAccount)], candidates, options))[0]
      } catch (error) {
        // The change is committed: a neighbour that is away must not make an error of it.
        log.warn({ err: error, ...params }, 'a bank account is answered without its candidate')
        return rendered(BankAccountSchema, bankAccount)
      }
    },
  })
}
