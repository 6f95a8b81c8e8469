import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A migration; `checksum` is the SHA-256 of its text in hexadecimal. */
export interface MigrationFile {
  name: string
  text: string
  checksum: string
}

/** Reads the SQL files of folders, ordered by folder and name. */
export async function readMigrations(folders: string[]): Promise<MigrationFile[]> {
  const files = await Promise.all(
    folders.map(async (folder) => {
      const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
      return Promise.all(names.map((name) => readMigration(folder, name)))
    }),
  )
  return files.flat()
}

async function readMigration(folder: string, name: string): Promise<MigrationFile> {
  const text = await readFile(join(folder, name), 'utf8')
  return { name, text, checksum: createHash('sha256').update(text).digest('hex') }
}
