import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Last commit with the earlier migrations, which the first SQL file of each folder has replaced.
 * The operator runs this commit once, so that old tables get all earlier migrations.
 */
const lastCommit = 'fd9433f'

/**
 * Returns null if the applied migrations are exactly the earlier ones, which `former.txt` lists;
 * otherwise an error text for the operator. On null, the first SQL file of each folder counts as
 * applied, because it replaces the earlier migrations.
 */
export async function formerFault(
  applied: readonly string[],
  folders: string[],
): Promise<string | null> {
  const former = (await Promise.all(folders.map(readNames))).flat()
  const missing = former.find((name) => !applied.includes(name))
  const unknown = applied.find((name) => !former.includes(name))
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

async function readNames(folder: string): Promise<string[]> {
  try {
    return (await readFile(join(folder, 'former.txt'), 'utf8')).trim().split('\n')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
