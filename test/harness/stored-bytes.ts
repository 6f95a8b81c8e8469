import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** Returns the names of the files that hold an account's uploads, incomplete ones included. */
export async function storedBytes(dataDir: string, accountId: string): Promise<string[]> {
  const names = await readdir(join(dataDir, 'files'), { recursive: true }).catch(() => [])
  return names.filter((name) => name.includes(accountId))
}
