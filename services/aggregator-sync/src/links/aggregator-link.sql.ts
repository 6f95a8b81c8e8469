import type { Database } from '@coffer/kit/database/database'
import type { SealedSecret } from '@coffer/kit/secrets/secrets'
import { sql } from 'slonik'
import { z } from 'zod'
import type { LinkKey } from './aggregator-link.ts'

const SealedToken = z.object({
  keyId: z.string(),
  dataKey: z.instanceof(Buffer),
  ciphertext: z.instanceof(Buffer),
})

/** Returns the sealed access token of a link; null if it has none. */
export function findAccessToken(
  { pool }: Database,
  { accountId, linkId }: LinkKey,
): Promise<SealedSecret | null> {
  return pool.maybeOne(sql.type(SealedToken)`
    SELECT key_id AS "keyId", data_key AS "dataKey", ciphertext FROM aggregator_tokens
    WHERE account_id = ${accountId} AND link_id = ${linkId} AND kind = 'access'`)
}
