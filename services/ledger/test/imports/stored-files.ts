import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** Returns the names of the files in which an account's uploads are stored. */
export async function storedFiles(dataDir: string, accountId: string): Promise<string[]> {
  const names = await readdir(join(dataDir, 'files'), { recursive: true })
  return names.filter((name) => name.includes(accountId))
}
