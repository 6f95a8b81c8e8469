import type { Database } from '@coffer/kit/database'
import { columnsOf } from '@coffer/kit/rows'
import { sql } from 'slonik'
import { FeedBankAccount } from './feed-bank-account.ts'

/** These candidates, deleted or not, by ID. */
export function findFeedBankAccounts(
  { pool }: Database,
  accountId: string,
  feedBankAccountIds: readonly string[],
): Promise<readonly FeedBankAccount[]> {
  return pool.any(sql.type(FeedBankAccount)`
    SELECT ${columnsOf(FeedBankAccount, { table: 'feed_bank_accounts' })} FROM feed_bank_accounts
    WHERE account_id = ${accountId}
      AND feed_bank_account_id = ANY(${sql.array([...feedBankAccountIds], 'text')})
    ORDER BY feed_bank_account_id`)
}
