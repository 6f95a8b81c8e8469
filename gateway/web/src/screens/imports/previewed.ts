import type { Upload } from '../../api/import-queries.ts'
import { importWords as words } from '../../words/imports.ts'
import type { Choices } from './read-choices.tsx'
import type { Balancing } from './stored/balance-note.tsx'

/** A file, the preview of its import, and the choices by which it was read. */
export interface Previewed {
  data: File
  upload: Upload
  choices: Choices
}

export interface PreviewProps {
  bankAccountId: string
  previewed: Previewed
  /** Reads the file again with other choices. */
  onRead: (choices: Choices) => void
  isReading: boolean
  /** Called after the import is created, with its upload and the preview. */
  onStored: (upload: Upload, preview: Balancing) => void
  onEnd: () => void
}

/** Row counts of a preview. */
type Counts = Record<'newCount' | 'duplicateCount' | 'skippedCount', number>

/** Returns the label of the import button, with the numbers of new and joined rows. */
export function storeText(of: { newCount: number; joined: number; account: string }): string {
  const { newCount, joined, account } = of
  const count = newCount - joined
  return joined === 0 ? words.store({ count, account }) : words.storeJoined({ count, joined })
}

/** Returns a text with the numbers of new, joined, already stored and skipped rows. */
export function countsOf(preview: Counts, joined: number): string {
  const { newCount, duplicateCount: known, skippedCount: skipped } = preview
  return words.counts({ fresh: newCount - joined, joined, known, skipped })
}
