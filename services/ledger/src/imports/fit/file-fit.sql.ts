import type { Transaction as Tx } from '@coffer/kit/database/database'
import { sql } from 'slonik'
import type { FileRow } from '../formats/statement.ts'
import { FitCandidate } from './file-fit.ts'

/**
 * Lists the live bank accounts of an account, each with the number of the given rows that are
 * stored in it. Amounts must match too: banks may reuse an identifier in each bank account.
 * OFFSET 0 forces an index search for each row, as in `listStoredRows`.
 */
export function listFitCandidates(
  tx: Tx,
  accountId: string,
  rows: readonly Pick<FileRow, 'uploadIdentifier' | 'amount'>[],
): Promise<readonly FitCandidate[]> {
  const identifiers = rows.map(({ uploadIdentifier }) => uploadIdentifier)
  const amounts = rows.map(({ amount }) => String(amount))
  return tx.any(sql.type(FitCandidate)`
    SELECT bank_account_id AS "bankAccountId", currency, mask, account_type AS "accountType",
      link_type = 'manual' AS "isManual", balances_as_of AS "balancesAsOf", ARRAY(
        SELECT DISTINCT account_digits FROM uploads
        WHERE uploads.account_id = ${accountId}
          AND uploads.bank_account_id = bank_accounts.bank_account_id
          AND account_digits IS NOT NULL AND undone_at IS NULL
      ) AS stated, (
        SELECT count(*)::integer
        FROM unnest(${sql.array(identifiers, 'text')}, ${sql.array(amounts, 'int8')})
          AS wanted (identifier, amount)
        WHERE EXISTS (
          SELECT FROM transactions
          WHERE account_id = ${accountId} AND bank_account_id = bank_accounts.bank_account_id
            AND upload_identifier = wanted.identifier AND transactions.amount = wanted.amount
          OFFSET 0)
      ) AS "rowCount"
    FROM bank_accounts
    WHERE account_id = ${accountId} AND deleted_at IS NULL AND removed_at IS NULL
    ORDER BY bank_account_id`)
}
