import { isPaidUp } from '../billing/subscription.ts'
import type { IdentityDeps } from '../service.ts'
import { getAccount } from './account.sql.ts'

/** Whether the account is paid up now, for the answer to a sign-in; always without billing. */
export async function isAccountActive(
  { config, database, clock }: Pick<IdentityDeps, 'config' | 'database' | 'clock'>,
  accountId: string,
): Promise<boolean> {
  if (!config.billed) return true
  return isPaidUp(await getAccount(database, accountId), clock(), config)
}
