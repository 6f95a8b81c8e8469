import { frameWords } from '../../words/frame.ts'
import { Button } from '../button.tsx'
import { Dialog } from '../dialog.tsx'
import rows from '../rows.module.css'

interface Props {
  leave: () => void
  stay: () => void
}

/** Asks whether unsaved entries may be lost. */
export function LeaveQuestion({ leave, stay }: Props) {
  return (
    <Dialog title={frameWords.discardTitle} isOpen onClose={stay}>
      <p>{frameWords.discardText}</p>
      <div className={rows.toolbar}>
        <Button kind="danger" onClick={leave}>
          {frameWords.discard}
        </Button>
        <Button onClick={stay}>{frameWords.keepEntries}</Button>
      </div>
    </Dialog>
  )
}
