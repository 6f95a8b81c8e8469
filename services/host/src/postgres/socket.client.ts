import { Socket } from 'node:net'

/** Largest number of bytes that are read at once. */
const chunkMax = 65_536

/** A socket that reads into one buffer of its own, for which Node allocates one at each read. */
export class BufferedSocket extends Socket {
  /** Called with each chunk; the next read overwrites its bytes. Emits `data` until replaced. */
  onChunk = (chunk: Buffer): void => {
    this.emit('data', Buffer.from(chunk))
  }

  constructor() {
    super({
      onread: {
        buffer: Buffer.allocUnsafeSlow(chunkMax),
        callback: (size, buffer) => {
          this.onChunk(Buffer.from(buffer.buffer, buffer.byteOffset, size))
          return true
        },
      },
    })
  }
}
