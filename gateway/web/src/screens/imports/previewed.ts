import type { Upload } from '../../api/import-queries.ts'
import { importWords as words } from '../../words/imports.ts'
import type { Choices } from './read-choices.tsx'

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
  /** Is told the import, and the current balance that its file states. */
  onStored: (upload: Upload, stated: number | null | undefined) => void
  onEnd: () => void
}

/** Numbers of rows of a preview. */
type Counts = Record<'newCount' | 'duplicateCount' | 'skippedCount', number>

/** Returns how many rows of a file are new, are stored already and are left out, in words. */
export function countsOf({ newCount, duplicateCount, skippedCount }: Counts): string {
  return words.counts({ fresh: newCount, known: duplicateCount, skipped: skippedCount })
}
