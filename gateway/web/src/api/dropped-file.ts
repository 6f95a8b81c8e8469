/** A file that was dropped on the app, until the screen of imports takes it. */
let dropped: File | null = null

const event = 'coffer-file-dropped'

/** Keeps a file for the screen of imports. */
export function dropFile(file: File): void {
  dropped = file
  dispatchEvent(new Event(event))
}

/** Calls `take` with the file that was dropped, now or later. Returns a function that ends this. */
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
