import type { Database } from '@coffer/kit/database/database'
import { getAccount } from './account.sql.ts'
import { isPaidUp } from './subscription.ts'

/** Returns whether an account is paid up; true without billing. Throws notFound if unknown. */
export async function isAccountActive(
  {
    config,
    database,
    clock,
  }: { config: { billed: boolean }; database: Database; clock: () => Date },
  accountId: string,
): Promise<boolean> {
  if (!config.billed) return true
  return isPaidUp(await getAccount(database, accountId), clock(), config)
}
