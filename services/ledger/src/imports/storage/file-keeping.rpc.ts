import type { FileTotals, IncomingFile } from '../incoming-file.ts'
import { type FileKey, nameOf, type Storage } from './storage.ts'

/**
 * Stores the bytes of a file, then the rows that name it, which `save` does in one transaction. The
 * bytes come first: a row never promises a file that is not there. Without rows they go again.
 *
 * @param saving.isSaved whether the rows are there, after a commit whose answer was lost
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
