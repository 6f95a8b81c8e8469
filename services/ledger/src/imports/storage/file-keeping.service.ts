import type { FileTotals, IncomingFile } from '../incoming-file.ts'
import { type FileKey, nameOf, type Storage } from './storage.ts'

/**
 * Stores the bytes of a file, then calls `save`, which inserts the rows in one transaction. Bytes
 * come first, so a stored row always has its file. When `save` fails and no rows are stored, the
 * bytes are removed. Throws the errors of storage and of `save`.
 *
 * @param saving.isSaved returns whether the rows are stored: the answer to a commit may be lost
 */
export async function keepFile(
  storage: Storage,
  { key, file }: { key: FileKey; file: IncomingFile },
  saving: {
    save: (totals: FileTotals) => Promise<void>
    isSaved: () => Promise<boolean>
  },
): Promise<void> {
  await storage.write(key, file.bytes)
  try {
    await saving.save(await file.finish())
  } catch (error) {
    if (!(await saving.isSaved())) await storage.remove(nameOf(key))
    throw error
  }
}
