import { type ReactNode, useState } from 'react'
import { useChange } from '../../api/changes.ts'
import { type Fault, noAnswer } from '../../api/faults.ts'
import { faultWords } from '../../words/faults.ts'
import { language } from '../../words/languages/texts.ts'
import { Button } from '../button.tsx'
import type { Conflict, Saved } from './as-read.ts'

interface Parts<Subject, Wanted> {
  /** Saves what a person wants of the object as it was seen last, see `updateAsRead`. */
  save: (wanted: Wanted, seen: Subject) => Promise<Saved<Subject>>
  /** The object as the form has shown it. */
  shown: Subject
  /** Label and text of a field of the present object. */
  sayField: (field: string, present: Subject) => [label: string, text: string]
  /** Shows the present object in the form, in place of what was typed. */
  take: (present: Subject) => void
}

interface Saving<Wanted> {
  send: (wanted: Wanted, done?: () => void) => void
  isSending: boolean
  fault: Fault | null
  /** Text of the button that saves, where it overwrites the change of another one. */
  action: string | null
  /** The button that gives up what was typed. */
  others: ReactNode
}

/**
 * Returns the change of an object that other windows and devices may change meanwhile. After a
 * conflict the form says what they changed, and keeps what was typed: sent again, it is saved.
 */
export function useSaving<Subject, Wanted>(parts: Parts<Subject, Wanted>): Saving<Wanted> {
  const { save, shown, sayField, take } = parts
  const [met, setMet] = useState<{ present: Subject; fault: Fault } | null>(null)
  const { send, isSending, fault } = useChange((wanted: Wanted) =>
    save(wanted, met?.present ?? shown),
  )
  const note = ({ present, fields }: Conflict<Subject>) => {
    const said = fields.map((field) => {
      const [label, text] = sayField(field, present)
      return faultWords.isNow({ label, text })
    })
    const changes = new Intl.ListFormat(language).format(said)
    setMet({ present, fault: { ...noAnswer, text: faultWords.meanwhile({ changes }) } })
  }
  return {
    send: (wanted, done) =>
      send(wanted, ({ conflict }) => {
        if (conflict) {
          note(conflict)
          return
        }
        setMet(null)
        done?.()
      }),
    isSending,
    fault: fault ?? met?.fault ?? null,
    action: met && faultWords.saveAnyway,
    others: met && (
      <Button
        onClick={() => {
          take(met.present)
          setMet(null)
        }}
      >
        {faultWords.takeOther}
      </Button>
    ),
  }
}
