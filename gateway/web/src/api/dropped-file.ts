/** A file that was dropped on the app, until the import screen takes it. */
let dropped: File | null = null

const event = 'coffer-file-dropped'

/** Keeps a dropped file for the import screen. */
export function dropFile(file: File): void {
  dropped = file
  dispatchEvent(new Event(event))
}

/**
 * Calls `take` with a file that was dropped earlier, and with each file that is dropped later.
 * Returns the unsubscribe function.
 */
export function takeDropped(take: (file: File) => void): () => void {
  const look = () => {
    const file = dropped
    dropped = null
    if (file !== null) take(file)
  }
  look()
  addEventListener(event, look)
  return () => removeEventListener(event, look)
}
