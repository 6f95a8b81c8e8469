import zlib from 'node:zlib'
import { say } from '@coffer/kit/reasons/reasons'
import { unzipSync } from 'fflate'
import type { Unreadable } from '../statement.ts'
import { cut, oneLine } from '../statement-rows.ts'

/** Maximum number of entries of an archive, including ignored entries. */
const ENTRIES_MAX = 1000
/** Maximum total size in bytes of the chosen entries after unpacking. */
const unpackedSizeMax = 64 * 1024 * 1024

/** Supported compression methods: stored (0) and DEFLATE (8); banks use no others. */
const METHODS = [0, 8]

/** Names of metadata files that operating systems add to archives; they are ignored. */
export const LEFT_OUT = /(?:^|\/)(?:__MACOSX\/|\.(?!\.?\/)|Thumbs\.db$|desktop\.ini$)/i

/** Path traversal (zip slip): a name with `..` may lead out of the target folder. */
const LEADS_OUT = /(?:^|[\\/])\.\.[\\/]/

/**
 * Unpacks the entries of a ZIP archive whose names `isWanted` accepts, keyed by name. Zip bombs:
 * an entry is unpacked only while the sum of the sizes in the headers is within the bound, and
 * never exceeds its size. Returns `Unreadable` beyond a bound, and for a wrong checksum.
 */
export function unzip(
  bytes: Uint8Array,
  isWanted: (name: string) => boolean,
): Map<string, Uint8Array> | Unreadable {
  const seen = { entries: 0, size: 0, isOther: false, outside: null as string | null }
  const sums = new Map<string, number>()
  const stated = statedSums(bytes)
  const filter = ({ name, originalSize, compression }: EntryInfo) => {
    seen.entries += 1
    sums.set(name, stated.next().value ?? 0)
    if (LEADS_OUT.test(name)) seen.outside ??= name
    if (name.endsWith('/') || !isWanted(name)) return false
    seen.size += originalSize
    seen.isOther ||= !METHODS.includes(compression)
    // Beyond a bound the result is discarded, so no further entry is unpacked.
    return seen.entries <= ENTRIES_MAX && seen.size <= unpackedSizeMax && !seen.isOther
  }
  let entries: Record<string, Uint8Array>
  try {
    entries = unzipSync(bytes, { filter })
  } catch {
    return { unreadable: say('ARCHIVE_DAMAGED') }
  }
  if (seen.entries > ENTRIES_MAX) {
    return { unreadable: say('ARCHIVE_FILES', { max: ENTRIES_MAX }) }
  }
  if (seen.size > unpackedSizeMax) {
    return { unreadable: say('ARCHIVE_SIZE', { max: unpackedSizeMax / 1024 / 1024 }) }
  }
  if (seen.isOther) return { unreadable: say('ARCHIVE_METHOD') }
  if (seen.outside !== null) {
    return { unreadable: say('ARCHIVE_PATH', { name: cut(oneLine(seen.outside), 60) }) }
  }
  const found = new Map(Object.entries(entries))
  for (const [name, content] of found) {
    if (!isWhole(content, sums.get(name))) return { unreadable: say('ARCHIVE_DAMAGED') }
  }
  return found
}

/** Checks the CRC-32 of an entry, because `fflate` does not. Node.js has `crc32` from 20.15 on. */
function isWhole(content: Uint8Array, sum: number | undefined): boolean {
  return zlib.crc32 === undefined || zlib.crc32(content) === sum
}

/** Yields the CRC-32 of each entry in the order of the central directory (APPNOTE.TXT 4.3.12). */
function* statedSums(bytes: Uint8Array): Generator<number> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const read = (at: number) => view.getUint32(at, true)
  let end = bytes.length - 22
  while (read(end) !== END) end -= 1
  const end64 = end >= 20 && read(end - 20) === LOCATOR_64 ? read(end - 12) : null
  let at = end64 !== null && read(end64) === END_64 ? read(end64 + 48) : read(end + 16)
  for (;;) {
    yield read(at + 16)
    const lengths = [28, 30, 32].map((field) => view.getUint16(at + field, true))
    at += lengths.reduce((sum, length) => sum + length, 46)
  }
}

/** Signatures of the records at the end of an archive, with ZIP64 (APPNOTE.TXT 4.3). */
const END = 0x06054b50
const [END_64, LOCATOR_64] = [0x06064b50, 0x07064b50]

type EntryInfo = { name: string; originalSize: number; compression: number }
