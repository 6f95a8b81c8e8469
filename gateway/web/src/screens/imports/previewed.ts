import type { Upload } from '../../api/import-queries.ts'
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
