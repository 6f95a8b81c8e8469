import { type ReactNode, useState } from 'react'
import { useChange } from '../../api/changes.ts'
import { type Fault, noAnswer } from '../../api/faults.ts'
import { faultWords } from '../../words/faults.ts'
import { language } from '../../words/languages/texts.ts'
import { Button } from '../button.tsx'
import type { Conflict, Saved } from './as-read.ts'

/** The object that a form changes. */
export interface States<Subject> {
  /** As the form shows it: entries that differ are changes. */
  shown: Subject
  /** As it was seen last: after a conflict, with what others changed. */
  seen: Subject
}

interface Parts<Subject, Wanted, Data> {
  subject: Subject
  /** Whether the form follows the object until its first entry, as one that is always open. */
  isLive?: boolean
  /** Text of the button that saves. */
  action: string
  /** Saves what a person wants of the object, see `updateAsRead`. */
  save: (wanted: Wanted, states: States<Subject>) => Promise<Saved<Subject, Data>>
  /** Label and text of a field of the present object. */
  sayField: (field: string, present: Subject) => [label: string, text: string]
  /** Takes the present object in place of what was typed, where the form keeps its entries. */
  take?: (present: Subject) => void
}

interface Saving<Subject, Wanted, Data> {
  shown: Subject
  /** Counts the changes of others that were taken: the key of fields that keep their entries. */
  taken: number
  send: (wanted: Wanted, done?: (data?: Data) => void) => void
  fault: Fault | null
  /** Properties of the form. */
  form: {
    action: string
    isSending: boolean
    fault: Fault | null
    onEdit: () => void
    /** The button that gives up what was typed. */
    others: ReactNode
  }
}

/**
 * Returns the change of an object that other windows and devices may change meanwhile. After a
 * conflict the form says what they changed, and keeps what was typed: sent again, it is saved.
 */
export function useSaving<Subject, Wanted, Data>(
  parts: Parts<Subject, Wanted, Data>,
): Saving<Subject, Wanted, Data> {
  const { subject, isLive = false, save, sayField, take } = parts
  const [held, setHeld] = useState(isLive ? null : { subject })
  const [taken, setTaken] = useState(0)
  const [met, setMet] = useState<{ present: Subject; fault: Fault } | null>(null)
  const shown = held ? held.subject : subject
  const change = useChange((wanted: Wanted) =>
    save(wanted, { shown, seen: met ? met.present : shown }),
  )
  const note = ({ present, fields }: Conflict<Subject>) => {
    const said = fields.map((field) => {
      const [label, text] = sayField(field, present)
      return faultWords.isNow({ label, text })
    })
    const changes = new Intl.ListFormat(language).format(said)
    setMet({ present, fault: { ...noAnswer, text: faultWords.meanwhile({ changes }) } })
  }
  const takeOther = (present: Subject) => {
    setHeld({ subject: present })
    setTaken(taken + 1)
    setMet(null)
    take?.(present)
  }
  const fault = change.fault ?? met?.fault ?? null
  return {
    shown,
    taken,
    send: (wanted, done) =>
      change.send(wanted, ({ data, conflict }) => {
        if (conflict) {
          note(conflict)
          return
        }
        setMet(null)
        if (isLive) setHeld(null)
        done?.(data)
      }),
    fault,
    form: {
      action: met ? faultWords.saveAnyway : parts.action,
      isSending: change.isSending,
      fault,
      onEdit: () => setHeld((now) => now ?? { subject }),
      others: met && <Button onClick={() => takeOther(met.present)}>{faultWords.takeOther}</Button>,
    },
  }
}
