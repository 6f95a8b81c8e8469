import { useSyncExternalStore } from 'react'

/** Forms of the page with unsaved entries. */
const edited = new Set<Node>()

/** An open question whether unsaved entries may be lost. */
interface Question {
  leave: () => void
  stay: () => void
}

let question: Question | null = null

const listeners = new Set<() => void>()

globalThis.addEventListener?.('beforeunload', (event) => {
  if (hasEntries()) event.preventDefault()
})

/** Notes whether a form has unsaved entries. */
export function noteEntries(form: Node, areUnsent: boolean): void {
  if (areUnsent) edited.add(form)
  else edited.delete(form)
  tell()
}

/**
 * Runs `leave`, after a confirmation if a form within `part` has unsaved entries; `stay` if
 * refused.
 */
export function leaveEntries(part: Node | null, leave: () => void, stay = () => {}): void {
  const lost = [...edited].filter((form) => part?.contains(form))
  if (lost.length === 0) {
    leave()
    return
  }
  const discard = () => {
    for (const form of lost) edited.delete(form)
    answer(leave)
  }
  // Replaces an open question: after a second "back", its `leave` has to go back further.
  question = { leave: discard, stay: () => answer(stay) }
  tell()
}

/** Returns the open question. */
export function currentQuestion(): Question | null {
  return question
}

/** Hook of `currentQuestion`: renders again when it changes. */
export function useQuestion(): Question | null {
  return useSyncExternalStore(listen, currentQuestion)
}

/** Returns whether any form of the page has unsaved entries. */
export function hasEntries(): boolean {
  return edited.size > 0
}

/** Hook of `hasEntries`: renders again when it changes. */
export function useHasEntries(): boolean {
  return useSyncExternalStore(listen, hasEntries)
}

function answer(run: () => void): void {
  question = null
  tell()
  run()
}

function tell(): void {
  for (const listener of listeners) listener()
}

function listen(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
