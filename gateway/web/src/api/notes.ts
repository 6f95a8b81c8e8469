import { useSyncExternalStore } from 'react'
import { type Coded, wordsOf } from '../words/refusals.ts'

interface Act {
  text: string
  work: () => Promise<unknown>
}

/** A toast about a finished action, with an undo or the next step, if any. */
export interface Note {
  text: string
  act?: Act
  /** A further action that the change suggests. */
  offer?: Act
  /** Whether the note stays until it is closed, or another one follows. */
  isUrgent?: boolean
}

const listeners = new Set<() => void>()
let current: Note | null = null

/** Shows a note and replaces the previous one; null removes it. */
export function showNote(note: Note | null): void {
  current = note
  for (const listener of listeners) listener()
}

/** Closes a note, unless a newer one is shown. */
export function closeNote(note: Note): void {
  if (current === note) showNote(null)
}

/** Returns the current note; null without one. */
export function useNote(): Note | null {
  return useSyncExternalStore(listen, () => current)
}

/** Shows the hints of an answer (docs/api.md#hints): effects that the user may not expect. */
export function showHints(answer: unknown): void {
  const text = hintText(answer)
  if (text !== '') showNote({ text })
}

/** Returns the hints of an answer in one text, empty without one. */
export function hintText(answer: unknown): string {
  const { data } = (answer ?? {}) as { data?: { hints?: string[]; codedHints?: Coded[] } }
  const { hints = [], codedHints = [] } = data ?? {}
  return hints.map((hint, at) => wordsOf(hint, codedHints[at])).join(' ')
}

function listen(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
