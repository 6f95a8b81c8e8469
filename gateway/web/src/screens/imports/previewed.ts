import type { Upload } from '../../api/import-queries.ts'
import { importWords as words } from '../../words/imports.ts'
import type { Choices } from './read-choices.tsx'
import type { Balancing } from './stored/balance-note.tsx'

/** A file, what its import would do, and the choices by which it was read. */
export interface Previewed {
  data: File
  upload: Upload
  choices: Choices
}

export interface PreviewProps {
  bankAccountId: string
  previewed: Previewed
  /** Reads the file again by other choices. */
  onRead: (choices: Choices) => void
  isReading: boolean
  /** Is told the import, and the preview of its file. */
  onStored: (upload: Upload, preview: Balancing) => void
  onEnd: () => void
}

/** Numbers of rows of a preview. */
type Counts = Record<'newCount' | 'duplicateCount' | 'skippedCount', number>

/** Returns the words of a button: how many rows are stored as new, and how many are joined. */
export function storeText(of: { newCount: number; joined: number; account: string }): string {
  const { newCount, joined, account } = of
  const count = newCount - joined
  return joined === 0 ? words.store({ count, account }) : words.storeJoined({ count, joined })
}

/** Returns how many rows of a file are new, joined, stored already and left out, in words. */
export function countsOf(preview: Counts, joined: number): string {
  const { newCount, duplicateCount: known, skippedCount: skipped } = preview
  return words.counts({ fresh: newCount - joined, joined, known, skipped })
}
