import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'

/** The last commit whose program applies the former migrations. */
const lastCommit = 'fd9433f'

/** Names of former migrations: a schema's in `migrations`, those of a folder in `former.txt`. */
type Former = ReadonlySet<string>

/**
 * The former migrations of a service. One file replaces those of a folder: its first, which makes
 * the same tables.
 */
export async function readFormer(folders: string[]): Promise<Former> {
  const lists = await Promise.all(folders.map(readNames))
  return new Set(lists.flat())
}

async function readNames(folder: string): Promise<string[]> {
  try {
    return (await readFile(join(folder, 'former.txt'), 'utf8')).trim().split('\n')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/** The former migrations applied to a schema; none where later ones made it. */
export async function appliedFormer(client: pg.Client, schema: string): Promise<Former> {
  const table = `${client.escapeIdentifier(schema)}.migrations`
  const known = await client.query('SELECT to_regclass($1) AS name', [table])
  if (known.rows[0].name === null) return new Set()
  const { rows } = await client.query<{ name: string }>(`SELECT name FROM ${table}`)
  return new Set(rows.map(({ name }) => name))
}

/** Why tables cannot be taken over; null when exactly the former migrations were applied. */
export function formerFault(applied: Former, former: Former): string | null {
  const missing = [...former].find((name) => !applied.has(name))
  const unknown = [...applied].find((name) => !former.has(name))
  if (unknown !== undefined) {
    return (
      `its tables are of another version (they have ${unknown}, which this one does not know): ` +
      'start that version. Nothing was changed.'
    )
  }
  if (missing === undefined) return null
  return (
    `its tables are of an older version (they lack ${missing}): start commit ${lastCommit} once ` +
    '("npm start" or "coffer migrate" there), then this version. Nothing was changed.'
  )
}
