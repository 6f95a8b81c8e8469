import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs'

const bytesMax = 64 * 1024

/**
 * Gives what was written to a log since it was asked last, of that the last 64 kB. A log that is
 * shorter than before is another one, read from its beginning; nothing is written to none.
 */
export function createTail(path: string): () => string {
  let end = 0
  return () => {
    if (!existsSync(path)) return ''
    const file = openSync(path, 'r')
    try {
      const { size } = fstatSync(file)
      const begin = Math.max(size < end ? 0 : end, size - bytesMax)
      end = size
      const bytes = Buffer.alloc(size - begin)
      return bytes.toString('utf8', 0, readSync(file, bytes, 0, bytes.length, begin))
    } finally {
      closeSync(file)
    }
  }
}
