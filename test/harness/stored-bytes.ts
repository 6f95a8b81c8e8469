import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** Names of all files on disk that belong to an account, incomplete uploads included. */
export async function storedBytes(dataDir: string, accountId: string): Promise<string[]> {
  const names = await readdir(join(dataDir, 'files'), { recursive: true }).catch(() => [])
  return names.filter((name) => name.includes(accountId))
}
