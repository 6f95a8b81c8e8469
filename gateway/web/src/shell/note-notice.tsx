import { X } from 'lucide-react'
import { useChange } from '../api/changes.ts'
import { closeNote, type Note, useNote } from '../api/notes.ts'
import { Button } from '../controls/button.tsx'
import { FaultBanner } from '../controls/form.tsx'
import { frameWords } from '../words/frame.ts'
import styles from './frame.module.css'

/** The note about the last change, over the screen until it is closed. */
export function NoteNotice() {
  const note = useNote()
  return (
    <div role="status" className={styles.toasts}>
      {note && <Toast key={note.text} note={note} />}
    </div>
  )
}

function Toast({ note }: { note: Note }) {
  const { text, act } = note
  const { send, isSending, fault } = useChange(async () => act?.work())
  return (
    <div className={styles.toast}>
      {fault && <FaultBanner fault={fault} />}
      <p>{text}</p>
      {act && (
        <Button isBusy={isSending} onClick={() => send(undefined, () => closeNote(note))}>
          {act.text}
        </Button>
      )}
      <Button kind="quiet" aria-label={frameWords.close} onClick={() => closeNote(note)}>
        <X size={18} aria-hidden />
      </Button>
    </div>
  )
}
