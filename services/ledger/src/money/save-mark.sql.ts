import { keyOf } from '@coffer/kit/aggregate-key'
import type { KeptReply } from '@coffer/kit/idempotency'
import { type CommonQueryMethods, sql } from 'slonik'
import { z } from 'zod'
import type { BankAccount } from '../bank-account.ts'
import type { MoneySave } from './money-save.sql.ts'

/** The route of replies that name a save without events. */
const saveRoute = 'save'

/** A reply without a request: it is kept for a day, long after its save has been asked for. */
export function saveMark({ accountId }: BankAccount, saveId: string): KeptReply {
  const nothing = Buffer.alloc(0)
  return { accountId, route: saveRoute, key: saveId, bodyHash: nothing, reply: nothing }
}

/** The keys of the bank accounts whose save is committed, by its ID. */
export async function findSavedMoney(
  connection: CommonQueryMethods,
  saves: readonly MoneySave[],
): Promise<Set<string>> {
  const accountIds = sql.array(
    saves.map(({ bankAccount }) => bankAccount.accountId),
    'text',
  )
  const saveIds = sql.array(
    saves.map(({ saveId }) => saveId),
    'text',
  )
  const found = await connection.anyFirst(sql.type(z.object({ saveId: z.string() }))`
    SELECT change_id AS "saveId" FROM changes
    WHERE account_id = ANY(${accountIds}) AND change_id = ANY(${saveIds})
    UNION ALL
    SELECT key FROM idempotency_keys
    WHERE account_id = ANY(${accountIds}) AND route = ${saveRoute} AND key = ANY(${saveIds})`)
  const committed = saves.filter(({ saveId }) => found.includes(saveId))
  return new Set(committed.map(({ bankAccount }) => keyOf(bankAccount)))
}
