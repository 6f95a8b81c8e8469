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
import { requireFeature } from '../../auth/features.ts'
import {
  activateCandidate,
  deactivateCandidate,
  type FeedBankAccounts,
  getCandidate,
  renderBankAccounts,
} from '../../compose/feed-bank-account.ts'
import type { AppDeps, RouteDeps } from '../../deps.ts'
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
} from '../../http/bodies/fields.ts'
import { optionalId } from '../../http/query.ts'
import { render, requirePart } from '../../http/rest.ts'
import { type Route, route } from '../../http/route.ts'
import { updateOf, valuesOf } from '../../http/update.ts'

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

/** Keys of all kinds of accounts; the ledger refuses by the stored kind (docs/api.md#patch). */
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

/** Routes of bank accounts (docs/links.md#bank-accounts). */
export function bankAccountRoutes({ mesh, log, config }: RouteDeps): Route[] {
  const clients = {
    accounts: mesh.client('ledger', BankAccountService),
    links: mesh.client('ledger', LinkService),
    candidates: mesh.client('feed-sync', FeedBankAccountService),
  }
  return [
    ...reads(clients),
    creationRoute({ ...clients, log, config }),
    archiveRoute({ ...clients, log }),
    changeRoute({ ...clients, log }),
  ]
}

interface Clients {
  accounts: Client<typeof BankAccountService>
  links: Client<typeof LinkService>
  candidates: FeedBankAccounts
}

const answer = { message: BankAccountSchema, with: { feedBankAccount: FeedBankAccountSchema } }

function reads({ accounts, candidates }: Clients): Route[] {
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
        return renderBankAccounts(bankAccounts, candidates, options)
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
        return (await renderBankAccounts([requirePart(bankAccount)], candidates, options))[0]
      },
    }),
    route({
      method: 'GET',
      path: '/api/bank_accounts/:bankAccountId/balances',
      summary: 'Balances, with money in envelopes and free-to-use money',
      auth: 'key',
      answer: BalancesSchema,
      handler: async ({ params, options }) => {
        const { balances } = await accounts.getBalances(params, options)
        return render(BalancesSchema, balances)
      },
    }),
  ]
}

function creationRoute({
  accounts,
  links,
  candidates,
  log,
  config,
}: Clients & Pick<AppDeps, 'log' | 'config'>): Route {
  return route({
    method: 'POST',
    path: '/api/bank_accounts',
    summary: 'Create a bank account on a manual link, or from a candidate of a feed link',
    auth: 'key',
    idempotent: true,
    body: creation,
    answer,
    handler: async ({ body, options, writeOptions }) => {
      const { linkId, feedBankAccountId } = body
      const request = valuesOf(body)
      if (feedBankAccountId !== undefined) {
        requireFeature('feed', config)
        const { link } = await links.getLink({ linkId }, options)
        const { feedLinkId } = requirePart(link)
        const ids = { feedBankAccountId, feedLinkId }
        // The provider's name replaces the one in the body (docs/links.md#bank-accounts).
        request.originalName = (await getCandidate(ids, candidates, options)).name
      }
      const { bankAccount } = await accounts.createBankAccount(request, writeOptions)
      return activateCandidate(requirePart(bankAccount), {
        feedBankAccounts: candidates,
        options,
        log,
      })
    },
  })
}

function archiveRoute({ accounts, candidates, log }: Clients & Pick<AppDeps, 'log'>): Route {
  return route({
    method: 'DELETE',
    path: '/api/bank_accounts/:bankAccountId',
    summary: 'Archive a bank account; its data is kept',
    auth: 'key',
    handler: async ({ params, options }) => {
      const { feedBankAccountId } = await accounts.archiveBankAccount(params, options)
      if (feedBankAccountId === undefined) return
      await deactivateCandidate(
        { ...params, feedBankAccountId },
        { feedBankAccounts: candidates, options, log },
      )
    },
  })
}

function changeRoute({ accounts, candidates, log }: Clients & Pick<AppDeps, 'log'>): Route {
  return route({
    method: 'PATCH',
    path: '/api/bank_accounts/:bankAccountId',
    summary: 'Change a bank account; the allowed keys depend on its kind',
    auth: 'key',
    find: ({ params, options }) => accounts.getBankAccount(params, options),
    body: change,
    answer,
    handler: async ({ params, body, options }) => {
      const update = { ...updateOf(UpdateBankAccountRequestSchema, body), ...params }
      const { bankAccount } = await accounts.updateBankAccount(update, options)
      try {
        return (await renderBankAccounts([requirePart(bankAccount)], candidates, options))[0]
      } catch (error) {
        // The change is committed: it is answered without an error while feed-sync is away.
        log.warn({ err: error, ...params }, 'a bank account is answered without its candidate')
        return render(BankAccountSchema, bankAccount)
      }
    },
  })
}
