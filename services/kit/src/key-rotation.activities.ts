import type { Database } from './database.ts'
import type { KeyEncryption, WrappedKey } from './key-encryption.ts'
import {
  type BlockRange,
  countBlocks,
  findSealedTables,
  listDataKeys,
  replaceDataKey,
} from './sealed-rows.sql.ts'

const blocksPerRange = 16
const passesMax = 10
const atOnce = 8

/** Whether any secret of the schema is under another key than the one in use now. */
export async function hasFormerKeys(database: Database, keys: KeyEncryption): Promise<boolean> {
  for await (const range of rangesOf(database)) {
    if ((await formerOf(database, keys, range)).length > 0) return true
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
    // A row that is written meanwhile moves, maybe past the range that is looked at: the next pass
    // finds it.
    for await (const range of rangesOf(database)) rotated += await rotate(database, keys, range)
    if (rotated === before) return rotated
  }
  throw new Error('secrets are sealed under a former key all the while: is it still in use?')
}

async function* rangesOf(database: Database): AsyncGenerator<BlockRange> {
  for (const table of await findSealedTables(database)) {
    const blocks = await countBlocks(database, table)
    for (let from = 0; from < blocks; from += blocksPerRange) {
      yield { table, from, to: from + blocksPerRange }
    }
  }
}

async function formerOf(
  database: Database,
  keys: KeyEncryption,
  range: BlockRange,
): Promise<WrappedKey[]> {
  const all = await listDataKeys(database, range)
  const ids = [...new Set(all.map(({ keyId }) => keyId))]
  const current = await Promise.all(ids.map((keyId) => keys.isCurrent(keyId)))
  // Nothing opens the secrets of a lost key any more: they stay as they are.
  return all.filter(({ keyId }) => !current[ids.indexOf(keyId)] && !keys.isLost(keyId))
}

async function rotate(database: Database, keys: KeyEncryption, range: BlockRange): Promise<number> {
  const former = await formerOf(database, keys, range)
  let rotated = 0
  for (let from = 0; from < former.length; from += atOnce) {
    const counts = await Promise.all(
      former.slice(from, from + atOnce).map(async (before) => {
        const after = await keys.wrap(await keys.unwrap(before))
        return replaceDataKey(database, range, { before, after })
      }),
    )
    rotated += counts.reduce((sum, count) => sum + count, 0)
  }
  return rotated
}
