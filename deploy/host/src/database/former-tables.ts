import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'

/** The last commit that contains the former migrations. */
const lastCommit = 'fd9433f'

/**
 * Names of former migrations: those applied to a schema, or those listed in `former.txt` of a
 * folder.
 */
type Former = ReadonlySet<string>

/**
 * Names of a service's former migrations, from `former.txt` in its folders. The first SQL file of a
 * folder replaces them and creates the same tables.
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

/**
 * Names of the former migrations applied to a schema; empty for a schema of the current migrations.
 */
export async function appliedFormer(client: pg.Client, schema: string): Promise<Former> {
  const table = `${client.escapeIdentifier(schema)}.migrations`
  const known = await client.query('SELECT to_regclass($1) AS name', [table])
  if (known.rows[0].name === null) return new Set()
  const { rows } = await client.query<{ name: string }>(`SELECT name FROM ${table}`)
  return new Set(rows.map(({ name }) => name))
}

/**
 * The reason why existing tables cannot be adopted, for the operator; null when they can be. They
 * can be adopted when exactly the former migrations were applied.
 */
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
