import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs'

const bytesMax = 64 * 1024

/**
 * Returns a reader of a log file. Each call returns the text written since the previous call, at
 * most the last 64 KiB. A file that became shorter was replaced, and is read from its start. A
 * missing file reads as empty.
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
