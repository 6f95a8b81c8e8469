import { useSyncExternalStore } from 'react'

/** Forms of the page with entries that are not sent. */
const edited = new Set<Node>()

/** A question whether entries may be lost, until it is answered. */
interface Question {
  leave: () => void
  stay: () => void
}

let question: Question | null = null

const listeners = new Set<() => void>()

globalThis.addEventListener?.('beforeunload', (event) => {
  if (hasEntries()) event.preventDefault()
})

/** Notes whether a form has entries that are not sent. */
export function noteEntries(form: Node, areUnsent: boolean): void {
  if (areUnsent) edited.add(form)
  else edited.delete(form)
  tell()
}

/** Runs `leave`, after a question if it loses entries of a part of the page; else `stay`. */
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
  // A second step back while the question is open: its way back is longer, and the only one taken.
  question = { leave: discard, stay: () => answer(stay) }
  tell()
}

/** Returns the open question. */
export function currentQuestion(): Question | null {
  return question
}

/** Returns the open question to show. */
export function useQuestion(): Question | null {
  return useSyncExternalStore(listen, currentQuestion)
}

/** Returns whether there are entries that are not sent. */
export function useHasEntries(): boolean {
  return useSyncExternalStore(listen, hasEntries)
}

function hasEntries(): boolean {
  return edited.size > 0
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
