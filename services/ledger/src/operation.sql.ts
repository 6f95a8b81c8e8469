import type { Database } from '@coffer/kit/database'
import { sql } from 'slonik'
import { z } from 'zod'

/** An operation that another service named, with the bytes of what it answered. */
export interface Operation {
  accountId: string
  bankAccountId: string
  operationId: string
  reply: Buffer
  createdAt: Date
}

const Kept = z.object({ reply: z.instanceof(Buffer) })

/** What an operation answered when it was booked; null when it has not been. */
export async function findOperation(
  { pool }: Database,
  operation: Pick<Operation, 'accountId' | 'bankAccountId' | 'operationId'>,
): Promise<Buffer | null> {
  const { accountId, bankAccountId, operationId } = operation
  return pool.maybeOneFirst(sql.type(Kept)`
    SELECT reply FROM operations
    WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId}
      AND operation_id = ${operationId}`)
}
