import { say } from '@coffer/kit/reasons/reasons'
import { invalid } from '@coffer/kit/rpc/errors'
import {
  BalancesSchema,
  BankAccountService,
  UpdateBankAccountRequestSchema,
} from '@coffer/proto/ledger/v1/bank_account'
import { LinkService } from '@coffer/proto/ledger/v1/link'
import { values } from '@coffer/proto/values'
import type { CallOptions, Client } from '@connectrpc/connect'
import { z } from 'zod'
import { requireFeature } from '../../auth/features.ts'
import {
  bankAccountAnswer,
  type Candidates,
  createCandidates,
} from '../../compose/feed-bank-account.ts'
import type { RouteDeps } from '../../deps.ts'
import { requirePart } from '../../http/answers/answer.ts'
import { hintKeys, hintsOf } from '../../http/answers/hints.ts'
import { patchText, updateOf, valuesOf } from '../../http/bodies/update.ts'
import {
  currency,
  id,
  ignoringNull,
  mask,
  maskChange,
  money,
  name,
  notNegativeMoney,
  nullOr,
  oneOf,
  timestamp,
} from '../../http/fields/fields.ts'
import { optionalId } from '../../http/queries/query.ts'
import { type Route, route } from '../../http/route.ts'

const accountType = oneOf(values['BankAccount.accountType'])

const accountSubType = oneOf(values['BankAccount.accountSubType'])

const accountStatus = oneOf(values['BankAccount.status'])

const creation = z.strictObject({
  linkId: id('link').describe('ID of a manual or feed link that is not deleted'),
  name: name.describe('Name of the bank account; it need not be unique'),
  accountType: accountType.optional().describe('Type of the bank account. Default: depository'),
  accountSubType: accountSubType.optional().describe('Finer type, of any type. Default: checking'),
  availableBalance: ignoringNull(money).describe(
    'Opening available balance in minor units, of any sign. Default and for null: 0',
  ),
  currentBalance: ignoringNull(money).describe(
    'Opening current balance in minor units, of any sign. Default and for null: 0',
  ),
  currency: ignoringNull(currency).describe(
    "ISO 4217 code of GET /api/locale/currency. Default and for null: that of the account's locale",
  ),
  limitBalance: ignoringNull(notNegativeMoney).describe(
    'Credit limit in minor units, not negative. Default and for null: 0',
  ),
  feedBankAccountId: ignoringNull(id('lbac')).describe(
    'Candidate that the bank account is created from: required on a feed link, 400 on a manual one',
  ),
  mask: ignoringNull(mask).describe(
    'Last four digits of the account number. Null counts as not sent',
  ),
  originalName: name
    .optional()
    .describe("First name, kept for good. Default: empty; on a feed link the candidate's name"),
  status: accountStatus.optional().describe('State that no PATCH changes. Default: active'),
  balancesAsOf: ignoringNull(timestamp).describe(
    'Instant for which the balances are stated: files with older ones leave them. A later one ' +
      'than now counts as now. Default and for null: none, and the first balance of a file counts',
  ),
})

/** Body of a PATCH. Only a manual bank account accepts all keys (docs/api.md#patch). */
const change = z.strictObject({
  name: name.optional().describe('New name; on every kind of link'),
  accountType: accountType.optional().describe('New type; on a manual link only'),
  accountSubType: accountSubType.optional().describe('New finer type; on a manual link only'),
  availableBalance: money
    .optional()
    .describe('New available balance in minor units, valid from now; on a manual link only'),
  currentBalance: money
    .optional()
    .describe('New current balance in minor units, valid from now; on a manual link only'),
  currency: currency
    .optional()
    .describe('New ISO 4217 code; converts no amount; not on an aggregator link'),
  limitBalance: nullOr(notNegativeMoney)
    .optional()
    .describe('New credit limit in minor units; null sets it to 0; on a manual link only'),
  mask: nullOr(maskChange)
    .optional()
    .describe('New mask of any four characters; null clears it; not on an aggregator link'),
  feedBankAccountId: id('lbac')
    .optional()
    .describe('Free candidate of the same feed link, for an account under a new ID; on it only'),
})

/** Returns the routes of bank accounts (docs/links.md#bank-accounts). */
export function bankAccountRoutes(deps: RouteDeps): Route[] {
  const accounts = deps.mesh.client('ledger', BankAccountService)
  const candidates = createCandidates(deps)
  return [...reads(deps, accounts, candidates), ...writes(deps, accounts, candidates)]
}

type Accounts = Client<typeof BankAccountService>

const written = {
  ...bankAccountAnswer,
  with: { ...bankAccountAnswer.with, ...hintKeys },
}

function reads({ versionTag }: RouteDeps, accounts: Accounts, candidates: Candidates): Route[] {
  return [
    route({
      id: 'listBankAccounts',
      tag: 'Bank accounts',
      method: 'GET',
      path: '/api/bank_accounts',
      summary: 'Live bank accounts; with link_id every account the link ever had, or null',
      description: 'In the order of their IDs. An unknown link is 404.',
      since: '0.1.0',
      auth: 'key',
      query: z.object({
        link_id: optionalId('link').describe(
          'Lists every bank account that the link ever had, archived ones too; null if it has none',
        ),
      }),
      pagedBy: { id: 'bankAccountId', newestFirst: false },
      answer: { nullable: { list: bankAccountAnswer } },
      handler: async ({ query: { link_id: linkId }, options }) => {
        const { bankAccounts } = await accounts.listBankAccounts(valuesOf({ linkId }), options)
        if (linkId && bankAccounts.length === 0) return null
        return candidates.join(bankAccounts, options)
      },
    }),
    route({
      id: 'getBankAccount',
      tag: 'Bank accounts',
      method: 'GET',
      path: '/api/bank_accounts/:bankAccountId',
      summary: 'One bank account, archived ones included',
      description: 'An archived one has deletedAt; its data can still be read.',
      since: '0.1.0',
      auth: 'key',
      tagged: true,
      answer: bankAccountAnswer,
      handler: async ({ params, options }) => {
        const { bankAccount } = await accounts.getBankAccount(params, options)
        return (await candidates.join([requirePart(bankAccount)], options))[0]
      },
    }),
    route({
      id: 'getBalances',
      tag: 'Bank accounts',
      method: 'GET',
      path: '/api/bank_accounts/:bankAccountId/balances',
      summary: 'Balances, with money in envelopes and free-to-use money',
      description:
        'A read of one row. Free-to-use is available minus the money in expenses and goals, and ' +
        'may be negative (docs/money.md#balances).',
      since: '0.1.0',
      auth: 'key',
      versionOf: async ({ params, options }) =>
        (await accounts.describeBankAccount(params, options)).version,
      answer: BalancesSchema,
      handler: async ({ params, options, request, reply }) => {
        const { balances, version } = await accounts.getBalances(params, options)
        reply.headers(versionTag(version, request))
        return balances
      },
    }),
  ]
}

function writes(deps: RouteDeps, accounts: Accounts, candidates: Candidates): Route[] {
  const attach = createAttach(deps, accounts, candidates)
  return [
    creationRoute(deps, accounts, candidates),
    route({
      id: 'archiveBankAccount',
      tag: 'Bank accounts',
      method: 'DELETE',
      path: '/api/bank_accounts/:bankAccountId',
      summary: 'Archive a bank account; its data is kept',
      description:
        'From now on every write under it is 400, and so is a second time. It can be restored; ' +
        'an aggregator link has to be deleted as a whole (docs/links.md#archiving).',
      since: '0.1.0',
      auth: 'key',
      isConditional: true,
      handler: async ({ params, options }) => {
        const { feedBankAccountId } = await accounts.archiveBankAccount(params, options)
        if (feedBankAccountId === undefined) return
        await candidates.deactivate({ ...params, feedBankAccountId }, options)
      },
    }),
    route({
      id: 'updateBankAccount',
      tag: 'Bank accounts',
      method: 'PATCH',
      path: '/api/bank_accounts/:bankAccountId',
      summary: 'Change a bank account; the allowed keys depend on its kind',
      description:
        `${patchText} Stated balances are set as they are, without a transaction; a new ` +
        'currency converts no amount. Keys that the kind of link does not allow are 400 ' +
        '(docs/links.md#bank-accounts).',
      since: '0.1.0',
      auth: 'key',
      isConditional: true,
      tagged: true,
      find: ({ params, options }) => accounts.getBankAccount(params, options),
      body: change,
      answer: written,
      handler: async ({ params, body, options }) => {
        const former = await attach({ ...params, ...body }, options)
        const update = { ...updateOf(UpdateBankAccountRequestSchema, body), ...params }
        const updated = await accounts.updateBankAccount(update, options)
        const bankAccount = requirePart(updated.bankAccount)
        const isAttached = former !== null && former !== bankAccount.feedBankAccountId
        if (!isAttached) {
          return { ...(await candidates.joinChanged(bankAccount, options)), ...hintsOf(updated) }
        }
        await candidates.deactivate({ ...params, feedBankAccountId: former }, options)
        return { ...(await candidates.activate(bankAccount, options)), ...hintsOf(updated) }
      },
    }),
  ]
}

/**
 * Returns a function for a PATCH that may replace the account of the feed link (candidate) which a
 * bank account uses. It checks the new one, and returns the ID of the previous one; null without a
 * change. Throws invalid for a candidate of another link, of another currency, or in use.
 */
function createAttach({ mesh, config }: RouteDeps, accounts: Accounts, candidates: Candidates) {
  const links = mesh.client('ledger', LinkService)
  return async (
    patch: { bankAccountId: string; feedBankAccountId?: string | undefined },
    options: CallOptions,
  ): Promise<string | null> => {
    const { bankAccountId, feedBankAccountId } = patch
    if (feedBankAccountId === undefined) return null
    const { bankAccount } = await accounts.getBankAccount({ bankAccountId }, options)
    const { linkId, feedBankAccountId: former, currency } = requirePart(bankAccount)
    // A bank account without a candidate is of no feed link: the ledger refuses the PATCH with 400.
    if (former === undefined || former === feedBankAccountId) return null
    requireFeature('feed', config)
    const { link } = await links.getLink({ linkId }, options)
    const { feedLinkId } = requirePart(link)
    const candidate = await candidates.get({ feedBankAccountId, feedLinkId }, options)
    if (candidate.status !== 'inactive') {
      throw invalid({ feedBankAccountId: say('CANDIDATE_USED') })
    }
    if (candidate.currency !== currency) {
      const currencies = { stated: candidate.currency, own: currency, same: currency }
      throw invalid({ feedBankAccountId: say('CANDIDATE_CURRENCY', currencies) })
    }
    return former
  }
}

function creationRoute(deps: RouteDeps, accounts: Accounts, candidates: Candidates): Route {
  const { mesh, config } = deps
  const links = mesh.client('ledger', LinkService)
  return route({
    id: 'createBankAccount',
    tag: 'Bank accounts',
    method: 'POST',
    path: '/api/bank_accounts',
    summary: 'Create a bank account on a manual link, or from a candidate of a feed link',
    description:
      'The opening balances are booked in the journal. 400 for a deleted link and for an ' +
      'aggregator link, whose accounts come from the aggregator (docs/links.md#bank-accounts).',
    since: '0.1.0',
    auth: 'key',
    tagged: true,
    idempotent: true,
    body: creation,
    answer: written,
    handler: async ({ body, options, writeOptions }) => {
      const { linkId, feedBankAccountId } = body
      const request = valuesOf(body)
      if (feedBankAccountId !== undefined) {
        requireFeature('feed', config)
        const { link } = await links.getLink({ linkId }, options)
        const { feedLinkId } = requirePart(link)
        // The name at the provider replaces that of the body (docs/links.md#bank-accounts).
        const candidate = await candidates.get({ feedBankAccountId, feedLinkId }, options)
        request.originalName = candidate.name
      }
      const created = await accounts.createBankAccount(request, writeOptions)
      const bankAccount = requirePart(created.bankAccount)
      return { ...(await candidates.activate(bankAccount, options)), ...hintsOf(created) }
    },
  })
}
