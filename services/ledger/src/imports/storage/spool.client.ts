import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'

/** Bytes in a temporary file, until disposed. */
export interface Spooled extends AsyncDisposable {
  size: number
  /** Returns a new stream of all bytes, at every call. */
  read: () => Readable
}

/**
 * Writes bytes to an unlinked temporary file: the system frees it even when the process crashes.
 * Throws the errors of the source.
 */
export async function spool(bytes: AsyncIterable<Uint8Array>): Promise<Spooled> {
  const folder = await mkdtemp(join(tmpdir(), 'coffer-spool-'))
  const unlink = () => rm(folder, { recursive: true, force: true })
  const file = await open(join(folder, 'bytes'), 'wx+', 0o600).finally(unlink)
  try {
    await file.writeFile(bytes)
    const { size } = await file.stat()
    return {
      size,
      read: () => file.createReadStream({ start: 0, autoClose: false }),
      [Symbol.asyncDispose]: () => file.close(),
    }
  } catch (error) {
    await file.close()
    throw error
  }
}
