import { invalid, unavailable } from '@coffer/kit/rpc/errors'
import { callerOf } from '@coffer/kit/rpc/rpc'
import type { ServiceDeps } from '@coffer/kit/service/service'
import { endOfDay, readDay, startOfDay } from '@coffer/kit/values/day'
import type {
  ListProviderTransactionsRequest,
  SyncImportService,
} from '@coffer/proto/ledger/v1/sync_import'
import type { ServiceImpl } from '@connectrpc/connect'
import { findTimezone } from '../accounts/account-settings.sql.ts'
import { getBankAccount } from '../accounts/bank-account.sql.ts'
import { requireWritable } from '../book/bank-account.ts'
import { requireSource } from './link-source.ts'
import { listLiveIds } from './provider.sql.ts'
import { requireIds } from './provider-row.ts'

const pageSize = 500

type Deps = Pick<ServiceDeps, 'database'>

/** Returns the RPC handler that lists live provider records (docs/syncs.md#import-calls). */
export function providerListRoutes({
  database,
}: Deps): Pick<ServiceImpl<typeof SyncImportService>, 'listProviderTransactions'> {
  return {
    listProviderTransactions: async (request, context) => {
      const { accountId, issuer } = callerOf(context)
      const { bankAccountId, after } = request
      requireIds({ after: after || undefined })
      const bankAccount = await getBankAccount(database, accountId, bankAccountId)
      requireWritable(bankAccount)
      requireSource(bankAccount, issuer)
      const timezone = await findTimezone(database, { accountId, bankAccountId })
      const page = { after, ...readBounds(request, timezone), limit: pageSize + 1 }
      const ids = await listLiveIds(database, bankAccount, page)
      return { providerTransactionIds: ids.slice(0, pageSize), hasMore: ids.length > pageSize }
    },
  }
}

/**
 * Returns the first and the last instant of the requested days; null is no bound. Throws `invalid`
 * for a day that does not exist, and `unavailable` while the account's timezone is unknown.
 */
function readBounds(
  { from, to }: Pick<ListProviderTransactionsRequest, 'from' | 'to'>,
  timezone: string | null,
): { from: Date | null; to: Date | null } {
  if (from === undefined && to === undefined) return { from: null, to: null }
  if (!timezone) throw unavailable('the timezone of the account is not known yet')
  const first = from === undefined ? null : readDay(from)
  const last = to === undefined ? null : readDay(to)
  const text = 'must be a day as YYYY-MM-DD, in the years 1900 to 2199'
  if (from !== undefined && first === null) throw invalid({ from: text })
  if (to !== undefined && last === null) throw invalid({ to: text })
  return {
    from: first === null ? null : new Date(startOfDay(first, timezone)),
    to: last === null ? null : new Date(endOfDay(last, timezone)),
  }
}
