import { isPaidUp } from '../billing/subscription.ts'
import type { IdentityDeps } from '../deps.ts'
import { getAccount } from './account.sql.ts'

/** Tells whether the account is paid up now; always true without billing. Throws notFound. */
export async function isAccountActive(
  { config, database, clock }: Pick<IdentityDeps, 'config' | 'database' | 'clock'>,
  accountId: string,
): Promise<boolean> {
  if (!config.billed) return true
  return isPaidUp(await getAccount(database, accountId), clock(), config)
}
