import type { Database } from '@coffer/kit/database/database'
import { sql } from 'slonik'
import { z } from 'zod'

/** `place` identifies a disk or bucket for uploaded files; `host` is the last host that used it. */
const FilePlace = z.object({ place: z.string(), host: z.string() })
type FilePlace = z.infer<typeof FilePlace>

const staleMinutes = 3

/** Records that this host uses a storage now; returns the other storages in use. */
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
