import type { Database } from '@coffer/kit/database/database'
import { sql } from 'slonik'
import { z } from 'zod'

/** A disk folder or bucket of uploaded files, and the host of a process that uses it. */
const FilePlace = z.object({ place: z.string(), host: z.string() })
type FilePlace = z.infer<typeof FilePlace>

const staleMinutes = 3

/** Records that a process stores files in this place now; returns the other places in use. */
export function recordPlace(
  { pool }: Database,
  { place, host }: FilePlace,
): Promise<readonly FilePlace[]> {
  return pool.any(sql.type(FilePlace)`
    WITH own AS (
      INSERT INTO file_places (place, host, seen_at) VALUES (${place}, ${host}, now())
      ON CONFLICT (place) DO UPDATE SET host = EXCLUDED.host, seen_at = EXCLUDED.seen_at
    )
    SELECT place, host FROM file_places
    WHERE place <> ${place} AND seen_at > now() - make_interval(mins => ${staleMinutes})
    ORDER BY place`)
}
