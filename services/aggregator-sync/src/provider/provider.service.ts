import { onDemand } from '@coffer/kit/service/on-demand'
import { createHistogram } from '@coffer/kit/telemetry/meter'
import type {
  Aggregator,
  CallBy,
  LinkTokenRequest,
  OpenAggregator,
  OpenItem,
} from './aggregator.ts'
import { type AnswerParser, startAnswerReaders } from './answer-pool.client.ts'
import { type LimitDeps, runLimited } from './call-limit.service.ts'
import { endpoints, type PlaidMethod } from './call-limit.ts'
import { openPlaid, type Plaid, type PlaidOptions, type PlaidRequest } from './plaid.client.ts'
import type { PlaidAnswers } from './plaid-answer.ts'
import { faultOf, faultOfAnswer, type PlaidFault, plaidFailure } from './plaid-fault.ts'

/** Settings of the aggregator. */
export interface ProviderOptions extends PlaidOptions {
  countryCodes: readonly string[]
  /** Page to which institutions redirect users; null without one. */
  redirectUri: string | null
  /** Limit of an item's calls of `/transactions/sync` per minute. */
  itemCallsPerMinute: number
}

interface Opened extends LimitDeps {
  options: ProviderOptions
  plaid: Plaid
  parse: AnswerParser
}

type LinkTokenBody = PlaidRequest<'linkTokenCreate'>
type CountryCodes = LinkTokenBody['country_codes']

const pageSize = 500
const rowOptions = {
  include_original_description: true,
  include_personal_finance_category: true,
  include_logo_and_counterparty_beta: true,
}

const observe = createHistogram({
  name: 'coffer_aggregator_call_seconds',
  help: 'Calls to the aggregator by endpoint and outcome: ok, or the code of the fault',
  labelNames: ['endpoint', 'outcome'],
})

/** Starts the client of the aggregator; its library is loaded at the first use. */
export function startAggregator(
  deps: LimitDeps,
  options: ProviderOptions,
): AsyncDisposable & { open: OpenAggregator } {
  const readers = startAnswerReaders()
  const open = onDemand(() => openPlaid(options))
  return {
    open: async () => {
      return createAggregator({ ...deps, options, plaid: await open(), parse: readers.parse })
    },
    [Symbol.asyncDispose]: async () => {
      const plaid = await open.opened()
      plaid?.[Symbol.dispose]()
      await readers[Symbol.asyncDispose]()
    },
  }
}

function createAggregator(deps: Opened): Aggregator {
  const { countryCodes } = deps.options
  return {
    createLinkToken: (of, by) => {
      return ask(deps, 'linkTokenCreate', linkTokenOf(of, deps.options), { by, item: null })
    },
    exchange: (publicToken, by) => {
      const request = { public_token: publicToken }
      return ask(deps, 'itemPublicTokenExchange', request, { by, item: null })
    },
    readItem: (item, { accountIds }, by) => {
      const options = accountIds ? { options: { account_ids: [...accountIds] } } : {}
      return ask(deps, 'accountsGet', { ...tokenOf(item), ...options }, { by, item })
    },
    readChanges: async (item, cursor, by) => {
      const from = cursor === null ? {} : { cursor }
      const request = { ...tokenOf(item), ...from, count: pageSize, options: rowOptions }
      const page = await ask(deps, 'transactionsSync', request, { by, item })
      // An unchanged cursor would make the loop endless.
      if (page.hasMore && page.nextCursor === cursor) throw unreadable('transactionsSync')
      return page
    },
    readWindow: (item, { from, to, offset }, by) => {
      const options = {
        include_original_description: true,
        include_personal_finance_category: true,
        count: pageSize,
        offset,
      }
      const request = { ...tokenOf(item), start_date: from, end_date: to, options }
      return ask(deps, 'transactionsGet', request, { by, item })
    },
    setWebhook: async (item, url, by) => {
      await ask(deps, 'itemWebhookUpdate', { ...tokenOf(item), webhook: url }, { by, item })
    },
    removeItem: async (item, by) => {
      await absent(ask(deps, 'itemRemove', tokenOf(item), { by, item }), (fault) => {
        return fault.code === 'item-gone'
      })
    },
    refresh: async (item, by) => {
      await ask(deps, 'transactionsRefresh', tokenOf(item), { by, item })
    },
    readInstitution: (institutionId, by) => {
      const request = {
        institution_id: institutionId,
        country_codes: countryCodes as CountryCodes,
        options: {
          include_optional_metadata: true,
          include_status: true,
          include_auth_metadata: false,
          include_payment_initiation_metadata: false,
        },
      }
      const answer = ask(deps, 'institutionsGetById', request, { by, item: null })
      return absent(answer, ({ detail }) => detail === 'INVALID_INSTITUTION')
    },
    readWebhookKey: (keyId, by) => {
      const answer = ask(deps, 'webhookVerificationKeyGet', { key_id: keyId }, { by, item: null })
      return absent(answer, ({ detail }) => detail === 'INVALID_WEBHOOK_VERIFICATION_KEY_ID')
    },
  }
}

/** Sends a request within the limits; returns the content of the answer. Throws faults. */
async function ask<Method extends PlaidMethod>(
  deps: Opened,
  method: Method,
  request: PlaidRequest<Method>,
  { by, item }: { by: CallBy; item: OpenItem | null },
): Promise<PlaidAnswers[Method]> {
  const { path, itemMax, clientMax } = endpoints[method]
  const max = method === 'transactionsSync' ? deps.options.itemCallsPerMinute : itemMax
  const key = item && { accountId: item.accountId, linkId: item.linkId, itemMax: max ?? clientMax }
  const body = await runLimited(deps, { ...by, path, clientMax, item: key }, (signal) => {
    return send(deps, method, { request, signal })
  })
  const content = await deps.parse(body, method, by.signal)
  if (content === 'too-large') throw plaidFailure('too-large')
  if (content === null) throw unreadable(method)
  return content
}

/** Returns the body of an answer with status 200. Throws faults. */
async function send<Method extends PlaidMethod>(
  { plaid, log }: Opened,
  method: Method,
  { request, signal }: { request: PlaidRequest<Method>; signal: AbortSignal },
): Promise<Uint8Array> {
  const start = performance.now()
  const { path } = endpoints[method]
  const answer = await plaid.send(method, request, signal)
  const fault = typeof answer === 'string' ? { code: answer } : faultOfAnswer(answer, method)
  observe((performance.now() - start) / 1_000, path, fault?.code ?? 'ok')
  if (typeof answer !== 'string' && fault === null) return answer.body
  const error = plaidFailure(fault?.code ?? 'internal', fault ?? {})
  if (fault?.code === 'keys-refused') log.error({ err: error, path }, 'Plaid refused the keys')
  throw error
}

/** Converts a fault that means a missing object to null. */
async function absent<Result>(
  answer: Promise<Result>,
  isAbsent: (fault: PlaidFault) => boolean,
): Promise<Result | null> {
  try {
    return await answer
  } catch (error) {
    const fault = faultOf(error)
    if (fault && isAbsent(fault)) return null
    throw error
  }
}

function tokenOf({ accessToken }: OpenItem): { access_token: string } {
  return { access_token: accessToken }
}

/** Returns the request body for a link token: to create a link, or to update an item. */
function linkTokenOf(
  of: LinkTokenRequest,
  { countryCodes, redirectUri }: ProviderOptions,
): LinkTokenBody {
  const common = {
    client_name: 'Coffer',
    language: 'en',
    country_codes: countryCodes as CountryCodes,
    ...(of.webhookUrl === null ? {} : { webhook: of.webhookUrl }),
    ...(redirectUri === null ? {} : { redirect_uri: redirectUri }),
  }
  if (of.kind === 'update') {
    return {
      ...common,
      ...tokenOf(of.item),
      user: { client_user_id: of.item.accountId },
      update: { account_selection_enabled: of.selectsAccounts },
    }
  }
  return {
    ...common,
    user: {
      client_user_id: of.userId,
      legal_name: of.legalName,
      email_address: of.email,
      email_address_verified_time: of.emailVerifiedAt?.toISOString() ?? null,
    },
    products: ['transactions'] as LinkTokenBody['products'] & object,
    transactions: { days_requested: 730 },
  }
}

function unreadable(method: PlaidMethod): Error {
  return plaidFailure('unreadable', { detail: endpoints[method].path })
}
