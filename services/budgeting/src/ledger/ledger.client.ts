import { say } from '@coffer/kit/reasons/reasons'
import { refused, unanswered } from '@coffer/kit/rpc/errors'
import { isOutage } from '@coffer/kit/rpc/fault'
import { asCallerOf, headers } from '@coffer/kit/rpc/rpc'
import { asSystem } from '@coffer/kit/rpc/system-call'
import type { ServiceDeps } from '@coffer/kit/service/service'
import {
  BankAccountService,
  type DescribeBankAccountResponse,
} from '@coffer/proto/ledger/v1/bank_account'
import { type Envelope, EnvelopeService } from '@coffer/proto/ledger/v1/envelope'
import { type CallOptions, Code, ConnectError, type HandlerContext } from '@connectrpc/connect'

/** Returns the ledger's description of the caller's bank account. Throws notFound. */
export function describeBankAccount(
  { mesh }: Pick<ServiceDeps, 'mesh'>,
  bankAccountId: string,
  context: HandlerContext,
): Promise<DescribeBankAccountResponse> {
  const bankAccounts = mesh.client('ledger', BankAccountService)
  return bankAccounts.describeBankAccount({ bankAccountId }, onBehalfOf(context))
}

/** Returns whether the bank account's link is manual. Throws notFound, and refused if archived. */
export async function describeWritable(
  deps: Pick<ServiceDeps, 'mesh'>,
  bankAccountId: string,
  context: HandlerContext,
): Promise<{ isManualLink: boolean }> {
  const { archived, linkType } = await describeBankAccount(deps, bankAccountId, context)
  if (archived) throw refused(say('BANK_ACCOUNT_ARCHIVED'))
  return { isManualLink: linkType === 'manual' }
}

/** Returns the open envelope of a plan; null without one, and for a missing bank account. */
export async function findEnvelope(
  { mesh }: Pick<ServiceDeps, 'mesh'>,
  { bankAccountId, spendingId }: { bankAccountId: string; spendingId: string },
  options: CallOptions,
): Promise<Envelope | null> {
  const ledger = mesh.client('ledger', EnvelopeService)
  const request = { bankAccountId, spendingIds: [spendingId] }
  try {
    const { envelopes } = await ledger.listEnvelopes(request, options)
    return envelopes[0] ?? null
  } catch (error) {
    if (ConnectError.from(error).code === Code.NotFound) return null
    throw error
  }
}

/**
 * Returns the open envelope of a plan after a call that creates or closes it has failed with
 * `error`: the call may have been carried out. Throws unanswered (504) if the ledger does not
 * answer this time either.
 */
export async function findAfterFailure(
  deps: Pick<ServiceDeps, 'mesh'>,
  plan: { bankAccountId: string; spendingId: string },
  { error, options }: { error: unknown; options: CallOptions },
): Promise<Envelope | null> {
  try {
    return await findEnvelope(deps, plan, options)
  } catch {
    throw isOutage(error) ? unanswered('the ledger did not answer') : error
  }
}

/** Returns call options without an account, for jobs whose requests name many accounts. */
export function asJob(deps: Pick<ServiceDeps, 'signer' | 'clock'>): CallOptions {
  return asSystem(deps, '')
}

/** Returns options for a nested call: the same caller, request ID and deadline. */
export function onBehalfOf(context: HandlerContext): CallOptions {
  const left = context.timeoutMs()
  return {
    ...asCallerOf(context),
    headers: { [headers.requestId]: context.requestHeader.get(headers.requestId) ?? '' },
    signal: context.signal,
    ...(left === undefined ? {} : { timeoutMs: Math.max(1, left) }),
  }
}
