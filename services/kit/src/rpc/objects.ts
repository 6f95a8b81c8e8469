import type { ObjectKey } from '@coffer/proto/changes/v1/changes'
import { Code, ConnectError } from '@connectrpc/connect'
import { say } from '../reasons/reasons.ts'
import { invalid } from './errors.ts'

/** Maximum number of objects per call (docs/limits.md). */
const objectsMax = 100

/**
 * Returns two functions: `of` lists the keys of a kind of objects, `present` reads objects one by
 * one and omits those not found. Throws invalid for too many objects.
 */
export function readsOf(objects: readonly ObjectKey[]) {
  if (objects.length > objectsMax) throw invalid({ objects: say('TOO_MANY', { max: objectsMax }) })
  const byKind = Map.groupBy(objects, ({ kind }) => kind)
  return { of: (kind: string) => byKind.get(kind) ?? [], present }
}

async function present<Key, One>(
  keys: Iterable<Key>,
  read: (key: Key) => Promise<readonly One[]>,
): Promise<One[]> {
  const found: One[] = []
  for (const key of keys) {
    try {
      found.push(...(await read(key)))
    } catch (error) {
      if (ConnectError.from(error).code !== Code.NotFound) throw error
    }
  }
  return found
}
