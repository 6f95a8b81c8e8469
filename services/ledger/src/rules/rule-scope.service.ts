import type { Database } from '@coffer/kit/database/database'
import { say } from '@coffer/kit/reasons/reasons'
import { invalid, notFound, refused } from '@coffer/kit/rpc/errors'
import type { CreateRuleRunRequest } from '@coffer/proto/ledger/v1/rule_run'
import { rangeOf } from '../transactions/transaction-search.ts'
import { findNamedAccount, listArchived } from './rule.sql.ts'

/** Bounds of the transactions that a run or a preview compares with rules; null for no bound. */
export interface RuleScope {
  bankAccountId: string | null
  /** First day, YYYY-MM-DD in the account's timezone. */
  fromDay: string | null
  /** Last day, included. */
  toDay: string | null
}

/**
 * Returns the scope that a request states. Throws `invalid` for an invalid day or a last day before
 * the first, `notFound` for an unknown bank account, and `refused` for an archived one.
 */
export async function readScope(
  database: Database,
  { accountId, timezone }: { accountId: string; timezone: string },
  request: Pick<CreateRuleRunRequest, 'bankAccountId' | 'from' | 'to'>,
): Promise<RuleScope> {
  const { bankAccountId = null, from: fromDay = null, to: toDay = null } = request
  rangeOf({ from: fromDay, to: toDay, after: null }, timezone)
  if (fromDay !== null && toDay !== null && toDay < fromDay) {
    throw invalid({ to: say('BEFORE_FROM') })
  }
  if (bankAccountId && !(await findNamedAccount(database, accountId, bankAccountId))) {
    throw notFound('bank account')
  }
  if (bankAccountId && (await listArchived(database, accountId)).has(bankAccountId)) {
    throw refused(say('RUN_ARCHIVED'))
  }
  return { bankAccountId, fromDay, toDay }
}
