/** Type and length of a message, in bytes. */
export const headSize = 5

/** Handles one message; `start` and `end` are the bounds of its body. */
type Handle = (type: number, bytes: Buffer, start: number, end: number) => void

/**
 * Divides the bytes from Postgres into messages. An incomplete message waits for its further
 * chunks, which are joined once all have come. Keeps copies, as the caller may reuse a chunk.
 */
export class MessageReader {
  readonly #handle: Handle
  #chunks: Buffer[] = []
  #size = 0
  #wanted = headSize

  constructor(handle: Handle) {
    this.#handle = handle
  }

  /** Handles the messages that are complete with this chunk. */
  read(chunk: Buffer): void {
    this.#size += chunk.length
    if (this.#size < this.#wanted) {
      this.#chunks.push(Buffer.from(chunk))
      return
    }
    const bytes = this.#chunks.length === 0 ? chunk : Buffer.concat([...this.#chunks, chunk])
    let at = 0
    let end = sizeAt(bytes, at)
    while (end <= bytes.length) {
      this.#handle(bytes[at] as number, bytes, at + headSize, end)
      at = end
      end = at + sizeAt(bytes, at)
    }
    this.#chunks = at < bytes.length ? [Buffer.from(bytes.subarray(at))] : []
    this.#size = bytes.length - at
    this.#wanted = end - at
  }
}

/** Returns the size of the message at a place; that of its head if this is incomplete. */
function sizeAt(bytes: Buffer, at: number): number {
  return at + headSize <= bytes.length ? 1 + bytes.readUInt32BE(at + 1) : headSize
}
