import type { Transaction as Tx } from '@coffer/kit/database'
import { type FragmentSqlToken, sql } from 'slonik'
import { z } from 'zod'

const Kept = z.object({ reply: z.instanceof(Buffer) })

/** What an operation answered when it was booked; null when it has not been. */
export async function findOperation(
  tx: Tx,
  operation: { accountId: string; bankAccountId: string; operationId: string },
): Promise<Buffer | null> {
  const { accountId, bankAccountId, operationId } = operation
  return tx.maybeOneFirst(sql.type(Kept)`
    SELECT reply FROM operations
    WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId}
      AND operation_id = ${operationId}`)
}

/** Keeps what an operation answers, for a CTE. */
export function insertOperation(
  { accountId, bankAccountId }: { accountId: string; bankAccountId: string },
  { operationId, reply, now }: { operationId: string; reply: Buffer; now: Date },
): FragmentSqlToken {
  return sql.fragment`
    INSERT INTO operations (account_id, bank_account_id, operation_id, reply, created_at)
    VALUES (${accountId}, ${bankAccountId}, ${operationId}, ${sql.binary(reply)},
      ${now.toISOString()})`
}
