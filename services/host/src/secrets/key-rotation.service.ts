import { groupsOf } from '@coffer/kit/database/batch'
import type { Database } from '@coffer/kit/database/database'
import { keyColumns } from '@coffer/kit/database/rows'
import type { KeyEncryption, WrappedKey } from './key-encryption.ts'
import { findSealedTables, type KeyRange, listDataKeys, replaceDataKey } from './sealed-rows.sql.ts'

const rowsPerRange = 500
const passesMax = 10
const atOnce = 8

/**
 * Returns whether a data key of the service is encrypted under a key that is no longer current.
 * Ignores keys that an operator declared lost: nothing can decrypt what is under them.
 */
export async function hasFormerKeys(database: Database, keys: KeyEncryption): Promise<boolean> {
  for await (const { wrapped } of rangesOf(database)) {
    if ((await formerOf(keys, wrapped)).length > 0) return true
  }
  return false
}

/**
 * Key rotation: encrypts the data keys of a service's secrets under the current key; ciphertexts do
 * not change. Works in batches while the service runs; a repeated call continues.
 * @returns the number of secrets that were under a former key
 * @throws {Error} when other processes still encrypt under a former key after ten scans
 */
export async function rotateSecrets(database: Database, keys: KeyEncryption): Promise<number> {
  let rotated = 0
  for (let pass = 0; pass < passesMax; pass += 1) {
    const before = rotated
    // Repeats until no row changes, to find rows inserted behind the position of the scan.
    for await (const part of rangesOf(database)) rotated += await rotate(database, keys, part)
    if (rotated === before) return rotated
  }
  throw new Error('processes still seal secrets under a former key: restart them, then repeat')
}

interface Part {
  range: KeyRange
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
  // Secrets under a lost key stay as they are, because nothing can decrypt them.
  return wrapped.filter(({ keyId }) => !current[ids.indexOf(keyId)] && !keys.isLost(keyId))
}

async function rotate(
  database: Database,
  keys: KeyEncryption,
  { range, wrapped }: Part,
): Promise<number> {
  const former = await formerOf(keys, wrapped)
  let rotated = 0
  for (const group of groupsOf(former, atOnce)) {
    const counts = await Promise.all(
      group.map(async (before) => {
        const next = await keys.wrap(await keys.unwrap(before))
        return replaceDataKey(database, range, { before, next })
      }),
    )
    rotated += counts.reduce((sum, count) => sum + count, 0)
  }
  return rotated
}
