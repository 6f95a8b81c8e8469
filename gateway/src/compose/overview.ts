import type { Mesh } from '@coffer/kit/rpc/mesh'
import type { Log } from '@coffer/kit/service/log'
import { FundingScheduleSchema } from '@coffer/proto/budgeting/v1/funding_schedule'
import { NextFundingSchema, OverviewService } from '@coffer/proto/budgeting/v1/overview'
import { SpendingSchema } from '@coffer/proto/budgeting/v1/spending'
import { BankAccountOverviewSchema, BankAccountService } from '@coffer/proto/ledger/v1/bank_account'
import { LinkService } from '@coffer/proto/ledger/v1/link'
import type { CallOptions } from '@connectrpc/connect'
import type { ValueOf } from '../http/answers/answer.ts'
import { isUnknownRpc } from '../http/errors/errors.ts'
import { readFormerPlans } from './former-plans.ts'
import { createConnections, linkAnswer } from './link.ts'

/** Shape of the answer of an overview. */
export const overviewAnswer = {
  object: {
    bankAccounts: { list: BankAccountOverviewSchema },
    behind: { list: SpendingSchema },
    paydays: {
      list: {
        message: FundingScheduleSchema,
        with: { nextFunding: { optional: NextFundingSchema } },
      },
    },
    links: { list: linkAnswer },
    expenseCarryOver: {
      optional: {
        json: {
          type: 'boolean',
          description:
            'The setting COFFER_EXPENSE_CARRY_OVER: whether expenses keep unspent money whose ' +
            'carryOver is null. Left out without a bank account',
        },
      },
    },
  },
}

/**
 * Returns a function that composes the overview of an account (docs/api/overview.md): two calls of
 * the ledger, and at most one each of budgeting, feed-sync and aggregator-sync.
 */
export function createOverview({ mesh, log }: { mesh: Mesh; log: Log }) {
  const accounts = mesh.client('ledger', BankAccountService)
  const links = mesh.client('ledger', LinkService)
  const plans = mesh.client('budgeting', OverviewService)
  const connections = createConnections({ mesh, log })

  async function readBudget(options: CallOptions) {
    const { bankAccounts } = await accounts.listOverviews({}, options)
    const bankAccountIds = bankAccounts.flatMap(
      ({ bankAccount }) => bankAccount?.bankAccountId ?? [],
    )
    if (bankAccountIds.length === 0) return { bankAccounts, behind: [], paydays: [] }
    const read = plans.getPlanOverview({ bankAccountIds }, options)
    const { nextFundings, ...planned } = await read.catch((error: unknown) => {
      if (isUnknownRpc(error)) return readFormerPlans(mesh, bankAccountIds, options)
      throw error
    })
    const fundings = new Map(nextFundings.map((one) => [one.fundingScheduleId, one]))
    const { behind, expenseCarryOver } = planned
    const paydays = planned.paydays.map((message) => {
      const nextFunding = fundings.get(message.fundingScheduleId)
      return nextFunding ? { message, nextFunding } : { message }
    })
    const budget = { bankAccounts, behind, paydays }
    return expenseCarryOver === undefined ? budget : { ...budget, expenseCarryOver }
  }

  async function readLinks(options: CallOptions) {
    const listed = await links.listLinks({}, options)
    return connections.join(listed.links, options)
  }

  return async (options: CallOptions): Promise<ValueOf<typeof overviewAnswer>> => {
    const [budget, shown] = await Promise.all([readBudget(options), readLinks(options)])
    return { ...budget, links: shown }
  }
}
