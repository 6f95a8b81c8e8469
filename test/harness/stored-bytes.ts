import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** The names of all that is stored for an account on disk, drafts included. */
export async function storedBytes(dataDir: string, accountId: string): Promise<string[]> {
  const names = await readdir(join(dataDir, 'files'), { recursive: true }).catch(() => [])
  return names.filter((name) => name.includes(accountId))
}
