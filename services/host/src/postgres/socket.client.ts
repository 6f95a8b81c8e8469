import { Socket } from 'node:net'

/** Largest number of bytes that are read at once. */
const pieceMax = 65_536

/** A socket that reads into one buffer of its own, for which Node allocates one at each read. */
export class BufferedSocket extends Socket {
  /** Called with each piece; the next read overwrites its bytes. Emits `data` until replaced. */
  onPiece = (piece: Buffer): void => {
    this.emit('data', Buffer.from(piece))
  }

  constructor() {
    super({
      onread: {
        buffer: Buffer.allocUnsafeSlow(pieceMax),
        callback: (size, buffer) => {
          this.onPiece(Buffer.from(buffer.buffer, buffer.byteOffset, size))
          return true
        },
      },
    })
  }
}
