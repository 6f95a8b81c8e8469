import { prepare } from '@coffer/kit/statement'
import { type CommonQueryMethods, sql } from 'slonik'
import { z } from 'zod'

/** An operation that another service named, with the bytes of what it answered. */
export interface Operation {
  accountId: string
  bankAccountId: string
  operationId: string
  reply: Buffer
  createdAt: Date
}

export type OperationKey = Pick<Operation, 'accountId' | 'bankAccountId' | 'operationId'>

const KeptOperation = z.object({
  accountId: z.string(),
  bankAccountId: z.string(),
  operationId: z.string(),
  reply: z.instanceof(Buffer),
})
export type KeptOperation = z.infer<typeof KeptOperation>

const keptOperations = prepare(
  ['accountIds', 'bankAccountIds', 'operationIds'],
  ({ accountIds, bankAccountIds, operationIds }) => sql.type(KeptOperation)`
    SELECT wanted.account_id AS "accountId", wanted.bank_account_id AS "bankAccountId",
      wanted.operation_id AS "operationId", kept.reply
    FROM unnest(${accountIds}::text[], ${bankAccountIds}::text[], ${operationIds}::text[])
      AS wanted (account_id, bank_account_id, operation_id)
    CROSS JOIN LATERAL (
      SELECT reply FROM operations
      WHERE operations.account_id = wanted.account_id
        AND operations.bank_account_id = wanted.bank_account_id
        AND operations.operation_id = wanted.operation_id
      LIMIT 1
    ) AS kept`,
)

/** Those of the operations that are booked, with what they answered, each found by its key. */
export function findOperations(
  connection: CommonQueryMethods,
  keys: readonly OperationKey[],
): Promise<readonly KeptOperation[]> {
  return connection.any(
    keptOperations({
      accountIds: keys.map(({ accountId }) => accountId),
      bankAccountIds: keys.map(({ bankAccountId }) => bankAccountId),
      operationIds: keys.map(({ operationId }) => operationId),
    }),
  )
}
