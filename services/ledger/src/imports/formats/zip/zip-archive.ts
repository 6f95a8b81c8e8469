import { say } from '@coffer/kit/reasons/reasons'
import { unzipSync } from 'fflate'
import type { Unreadable } from '../statement.ts'
import { cut, oneLine } from '../statement-rows.ts'

/** Maximum number of entries of an archive, those that are left out included. */
const ENTRIES_MAX = 1000
/** Maximum size in bytes of the chosen entries together, once unpacked. */
const unpackedSizeMax = 64 * 1024 * 1024

/** The methods of entries that are read: stored and deflated, which is all that banks use. */
const METHODS = [0, 8]

/** Files that programs put into archives beside those of the user. */
export const LEFT_OUT = /(?:^|\/)(?:__MACOSX\/|\.(?!\.?\/)|Thumbs\.db$|desktop\.ini$)/i

/** A path that leads out of the folder into which an archive is unpacked. */
const LEADS_OUT = /(?:^|[\\/])\.\.[\\/]/

/**
 * Unpacks the entries of a ZIP archive that `isWanted` chooses by name, by name. An entry is never
 * longer than its header states, and these lengths are summed before anything is unpacked, so that
 * a small archive cannot fill the memory. Returns `Unreadable` beyond a bound.
 */
export function unzip(
  bytes: Uint8Array,
  isWanted: (name: string) => boolean,
): Map<string, Uint8Array> | Unreadable {
  const seen = { entries: 0, size: 0, isOther: false, outside: null as string | null }
  const filter = ({ name, originalSize, compression }: EntryInfo) => {
    seen.entries += 1
    if (LEADS_OUT.test(name)) seen.outside ??= name
    if (name.endsWith('/') || !isWanted(name)) return false
    seen.size += originalSize
    seen.isOther ||= !METHODS.includes(compression)
    // The filter runs for all entries before the caller sees one, so none is unpacked in vain.
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
  return new Map(Object.entries(entries))
}

type EntryInfo = { name: string; originalSize: number; compression: number }
