import type { Database } from '@coffer/kit/database/database'
import { sql } from 'slonik'
import { z } from 'zod'
import type { UpstreamInstitution } from '../provider/aggregator.ts'

const Stored = z.object({ answer: z.custom<UpstreamInstitution>() })

/** Returns an institution that was read after `after`; null without one. */
export async function findInstitution(
  { pool }: Database,
  institutionId: string,
  after: Date,
): Promise<UpstreamInstitution | null> {
  const stored = await pool.maybeOne(sql.type(Stored)`
    SELECT answer FROM institutions
    WHERE institution_id = ${institutionId} AND fetched_at > ${after.toISOString()}`)
  return stored?.answer ?? null
}

/** Stores an institution as it was just read. */
export async function saveInstitution(
  { pool }: Database,
  institution: UpstreamInstitution,
  now: Date,
): Promise<void> {
  await pool.query(sql.unsafe`
    INSERT INTO institutions (institution_id, answer, fetched_at)
    VALUES (${institution.institutionId}, ${JSON.stringify(institution)}, ${now.toISOString()})
    ON CONFLICT (institution_id) DO UPDATE
    SET answer = excluded.answer, fetched_at = excluded.fetched_at`)
}
