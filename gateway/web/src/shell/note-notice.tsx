import { useLocation } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useChange } from '../api/changes.ts'
import { closeNote, type Note, useNote } from '../api/notes.ts'
import { Button } from '../controls/button.tsx'
import { FaultBanner } from '../controls/form.tsx'
import { usePreferences } from '../preferences/preferences.ts'
import { frameWords } from '../words/frame.ts'
import styles from './frame.module.css'

/** Time in ms after which a note closes, unless it is urgent or has focus or pointer. */
const shownMs = 20_000

/**
 * Toast with the note about the last change. It closes after a while, at a navigation, and when
 * amounts are hidden, because it may contain amounts.
 */
export function NoteNotice() {
  const note = useNote()
  const { pathname } = useLocation()
  const { areAmountsHidden } = usePreferences()
  const [shown, setShown] = useState({ note, pathname, areAmountsHidden })
  if (shown.note !== note) setShown({ note, pathname, areAmountsHidden })
  const isSame = shown.pathname === pathname && shown.areAmountsHidden === areAmountsHidden
  const isLeft = note !== null && shown.note === note && !isSame && !note.isUrgent
  useEffect(() => {
    if (isLeft) closeNote(note)
  }, [isLeft, note])
  return (
    <div role="status" className={styles.toasts}>
      {note && <Toast key={note.text} note={note} />}
    </div>
  )
}

function Toast({ note }: { note: Note }) {
  const { text, act, offer } = note
  const { send, isSending, fault } = useChange((work: () => Promise<unknown>) => work(), {
    isOfNote: true,
  })
  const toast = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (isSending || fault || note.isUrgent) return
    const timer = setInterval(() => {
      if (!toast.current?.matches(':hover, :focus-within')) closeNote(note)
    }, shownMs)
    return () => clearInterval(timer)
  }, [note, isSending, fault])
  return (
    <div ref={toast} className={`${styles.toast} ${note.isUrgent ? styles.urgent : ''}`}>
      {fault && <FaultBanner fault={fault} />}
      <p>{text}</p>
      {[offer, act].map(
        (one) =>
          one && (
            <Button
              key={one.text}
              isBusy={isSending}
              onClick={() => send(one.work, () => closeNote(note))}
            >
              {one.text}
            </Button>
          ),
      )}
      <Button kind="quiet" aria-label={frameWords.close} onClick={() => closeNote(note)}>
        <X size={18} aria-hidden />
      </Button>
    </div>
  )
}
