import { type ReactNode, useState } from 'react'
import { useChange } from '../../api/changes.ts'
import { type Fault, noAnswer } from '../../api/faults.ts'
import { faultWords } from '../../words/faults.ts'
import { language } from '../../words/languages/texts.ts'
import { Button } from '../button.tsx'
import type { Conflict, Saved } from './as-read.ts'

/** Two states of the object that a form changes. */
export interface States<Subject> {
  /** State that the form was filled with: entries that differ are changes. */
  shown: Subject
  /** State that the user has seen last; after a conflict it includes the changes of others. */
  seen: Subject
}

interface Parts<Subject, Wanted, Data> {
  subject: Subject
  /**
   * Whether the form shows changes of others until its first entry; for forms that are always open.
   */
  isLive?: boolean
  /** Text of the submit button. */
  action: string
  /** Saves the values that the user wants, see `updateAsRead`. */
  save: (wanted: Wanted, states: States<Subject>) => Promise<Saved<Subject, Data>>
  /** Returns label and text of a field of the current object. */
  sayField: (field: string, present: Subject) => [label: string, text: string]
  /**
   * Replaces the typed values by those of the current object; for forms with state of their own.
   */
  take?: (present: Subject) => void
}

interface Saving<Subject, Wanted, Data> {
  shown: Subject
  /**
   * Number of times that changes of others were accepted; as a React key it resets uncontrolled
   * fields.
   */
  taken: number
  send: (wanted: Wanted, done?: (data?: Data) => void) => void
  fault: Fault | null
  /** Props of the form. */
  form: {
    action: string
    isSending: boolean
    fault: Fault | null
    onEdit: () => void
    /** The button that discards the typed values. */
    others: ReactNode
  }
}

/**
 * Returns the mutation of an object that other tabs and devices may change meanwhile. After a
 * conflict the form shows their changes and keeps its entries: sending again overwrites.
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
