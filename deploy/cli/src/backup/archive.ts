import { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream, WritableStream } from 'node:stream/web'
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib'
import { FatalError } from '@coffer/local/bootstrap/fatal-error.mjs'
import type { Decrypter, Encrypter } from 'age-encryption'
import { createTarDecoder, type ParsedTarEntry, packTar } from 'modern-tar'
import type { ArchivePlace } from './place.client.ts'

/** One file of an archive. */
export interface Entry {
  /** Path with slashes, such as `database/ledger/journal/000001`. */
  name: string
  bytes: Uint8Array
}

// Maximum size of an entry, which readers keep in memory; no file of Coffer is larger.
const entryBytesMax = 16 * 1024 * 1024

/** Two empty blocks of 512 bytes end a tar archive. */
const tarEndBytes = 1024

const compression = { params: { [constants.ZSTD_c_compressionLevel]: 6 } }

/**
 * Writes entries as tar (POSIX.1-2001), compressed with zstd (RFC 8878), encrypted with age
 * (age-encryption.org/v1). Returns the number of bytes. Bounded memory: pulls an entry from the
 * iterable only after the previous entries are written.
 * @throws {FatalError} when the destination exists, or cannot be written
 */
export async function writeArchive(
  place: ArchivePlace,
  encrypter: Encrypter,
  entries: AsyncIterable<Entry>,
): Promise<number> {
  await place.requireNew()
  const compressed = createZstdCompress(compression)
  const packed = pipeline(Readable.from(tarOf(entries), { objectMode: false }), compressed)
  packed.catch(() => undefined)
  const sealed = await encrypter.encrypt(webStreamOf(compressed))
  const writing = place.write(Readable.fromWeb(sealed as ReadableStream))
  try {
    const [, size] = await Promise.all([packed, writing])
    return size
  } catch (error) {
    // Waits until `place` has removed the partial archive.
    await writing.catch(() => undefined)
    throw error
  }
}

const webStreamOf = (stream: Readable) =>
  Readable.toWeb(stream) as unknown as globalThis.ReadableStream<Uint8Array>

async function* tarOf(entries: AsyncIterable<Entry>): AsyncGenerator<Uint8Array> {
  for await (const { name, bytes } of entries) {
    const packed = await packTar([{ header: { name, size: bytes.length }, body: bytes }])
    yield packed.subarray(0, -tarEndBytes)
  }
  yield new Uint8Array(tarEndBytes)
}

/**
 * Reads the entries of an archive in order.
 * @param wrongKey - Error text for an archive that was encrypted for another key
 * @throws {FatalError} when it does not exist, was changed, is cut off, or has another key
 */
export async function* readArchive(
  place: ArchivePlace,
  decrypter: Decrypter,
  wrongKey = 'wrong identity',
): AsyncGenerator<Entry> {
  const source = await place.read()
  try {
    const plain = Readable.fromWeb((await decrypter.decrypt(webStreamOf(source))) as ReadableStream)
    const { readable, writable } = createTarDecoder({ strict: true })
    const tar = Writable.fromWeb(writable as WritableStream<Uint8Array>)
    const unpacked = pipeline(plain, createZstdDecompress(), tar)
    unpacked.catch(() => undefined)
    for await (const entry of readable) {
      yield { name: entry.header.name, bytes: await contentOf(entry) }
    }
    await unpacked
  } catch (error) {
    const reason = readFault(error as Error, wrongKey)
    throw new FatalError(`${place.name} cannot be read: ${reason}. Nothing was changed.`)
  } finally {
    source.destroy()
  }
}

function readFault(error: Error, wrongKey: string): string {
  if ('syscall' in error) return error.message
  // The age library has no error class for a wrong key, so the message shows it.
  if (error.message.startsWith('no identity matched')) return wrongKey
  return `it is cut off or changed (${error.message})`
}

async function contentOf({ header, body }: ParsedTarEntry): Promise<Buffer> {
  if (header.size > entryBytesMax) throw new Error(`the entry ${header.name} is too large`)
  const parts: Uint8Array[] = []
  for await (const part of body) parts.push(part)
  return Buffer.concat(parts)
}
