import { create } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { notFound } from '@coffer/kit/rpc/errors'
import { toMessage } from '@coffer/kit/rpc/message'
import { callerOf, onBehalfOf } from '@coffer/kit/rpc/rpc'
import type { ServiceDeps } from '@coffer/kit/service/service'
import {
  type ExplainSpendingRequest,
  ExplainSpendingResponseSchema,
  ExplanationSchema,
} from '@coffer/proto/budgeting/v1/spending'
import { BankAccountService } from '@coffer/proto/ledger/v1/bank_account'
import { EnvelopeService } from '@coffer/proto/ledger/v1/envelope'
import type { HandlerContext } from '@connectrpc/connect'
import { withAmounts } from '../plans/plan.ts'
import { findPlans } from '../plans/spending.sql.ts'
import { explain } from './explanation.ts'
import { renderSentences } from './explanation-text.ts'

/**
 * Explains the contribution of a spending object, as GET shows it (docs/plans.md#the-explanation).
 * Throws notFound.
 */
export async function explainSpending(
  { database, mesh, clock }: Pick<ServiceDeps, 'database' | 'mesh' | 'clock'>,
  { bankAccountId, spendingId }: ExplainSpendingRequest,
  context: HandlerContext,
) {
  const { accountId, timezone, locale } = callerOf(context)
  const options = onBehalfOf(context)
  const spendingIds = [spendingId]
  const [[found], { envelopes }, { balances }] = await Promise.all([
    findPlans(database, { accountId, bankAccountId }, spendingIds),
    mesh.client('ledger', EnvelopeService).listEnvelopes({ bankAccountId, spendingIds }, options),
    mesh.client('ledger', BankAccountService).getBalances({ bankAccountId }, options),
  ])
  const [envelope] = envelopes
  if (found?.state !== 'open' || !envelope) throw notFound('spending')
  const plan = withAmounts(found, envelope, { timezone, now: clock() })
  const explanation = explain(plan, { timezone, now: plan.calculatedAt })
  const style = { currency: balances?.currency ?? 'USD', locale, timezone }
  const { spendingId: id, targetAmount } = plan
  const message = toMessage(ExplanationSchema, {
    ...explanation,
    spendingId: id,
    targetAmount,
    sentences: renderSentences(plan, explanation, style),
    dueDates: explanation.dueDates.map(timestampFromDate),
    fundingDates: explanation.fundingDates.map(timestampFromDate),
  })
  return create(ExplainSpendingResponseSchema, { explanation: message })
}
