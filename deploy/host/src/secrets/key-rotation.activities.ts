import type { Database } from '@coffer/kit/database/database'
import { keyColumns } from '@coffer/kit/database/rows'
import type { KeyEncryption, WrappedKey } from '@coffer/kit/secrets/key-encryption'
import { findSealedTables, type KeyRange, listDataKeys, replaceDataKey } from './sealed-rows.sql.ts'

const rowsPerRange = 500
const passesMax = 10
const atOnce = 8

/** Whether any secret of the schema is under another key than the one in use now. */
export async function hasFormerKeys(database: Database, keys: KeyEncryption): Promise<boolean> {
  for await (const { wrapped } of rangesOf(database)) {
    if ((await formerOf(keys, wrapped)).length > 0) return true
  }
  return false
}

/**
 * Encrypts the data key of every secret of the schema anew, under the key that is in use now, some
 * at a time and while the service runs. Ended in between, it goes on where it is run again. Secrets
 * themselves are not touched: who had the former key alone has nothing.
 *
 * @returns how many secrets were under another key
 */
export async function rotateSecrets(database: Database, keys: KeyEncryption): Promise<number> {
  let rotated = 0
  for (let pass = 0; pass < passesMax; pass += 1) {
    const before = rotated
    // The next pass finds rows that are added meanwhile before the range that is looked at.
    for await (const part of rangesOf(database)) rotated += await rotate(database, keys, part)
    if (rotated === before) return rotated
  }
  throw new Error('secrets are sealed under a former key all the while: is it still in use?')
}

interface Part {
  range: KeyRange
  /** The different data keys in it. */
  wrapped: WrappedKey[]
}

async function* rangesOf(database: Database): AsyncGenerator<Part> {
  for (const table of await findSealedTables(database)) {
    const key = await keyColumns(database, table)
    let after: readonly string[] | undefined = []
    while (after) {
      const rows = await listDataKeys(database, { table, key, after }, rowsPerRange)
      const upTo: readonly string[] | undefined = rows.at(-1)?.place
      if (upTo) {
        const distinct = new Map(
          rows.map((row) => [`${row.keyId} ${row.bytes.toString('hex')}`, row]),
        )
        yield { range: { table, key, after, upTo }, wrapped: [...distinct.values()] }
      }
      after = upTo
    }
  }
}

async function formerOf(
  keys: KeyEncryption,
  wrapped: readonly WrappedKey[],
): Promise<WrappedKey[]> {
  const ids = [...new Set(wrapped.map(({ keyId }) => keyId))]
  const current = await Promise.all(ids.map((keyId) => keys.isCurrent(keyId)))
  // Nothing opens the secrets of a lost key any more: they stay as they are.
  return wrapped.filter(({ keyId }) => !current[ids.indexOf(keyId)] && !keys.isLost(keyId))
}

async function rotate(
  database: Database,
  keys: KeyEncryption,
  { range, wrapped }: Part,
): Promise<number> {
  const former = await formerOf(keys, wrapped)
  let rotated = 0
  for (let from = 0; from < former.length; from += atOnce) {
    const counts = await Promise.all(
      former.slice(from, from + atOnce).map(async (before) => {
        const next = await keys.wrap(await keys.unwrap(before))
        return replaceDataKey(database, range, { before, next })
      }),
    )
    rotated += counts.reduce((sum, count) => sum + count, 0)
  }
  return rotated
}
