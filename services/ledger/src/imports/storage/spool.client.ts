import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'

/** Bytes on this machine's disk, until they are disposed of. */
export interface Spooled extends AsyncDisposable {
  size: number
  /** All of the bytes, as often as they are asked for. */
  read: () => Readable
}

/**
 * Keeps bytes in a file that has no name any more: whatever becomes of this process, they are gone
 * with it. Throws what their source throws.
 */
export async function spool(bytes: AsyncIterable<Uint8Array>): Promise<Spooled> {
  const folder = await mkdtemp(join(tmpdir(), 'coffer-spool-'))
  const unname = () => rm(folder, { recursive: true, force: true })
  const file = await open(join(folder, 'bytes'), 'wx+', 0o600).finally(unname)
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
