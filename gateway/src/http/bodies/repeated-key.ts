import jsonc from 'jsonc-parser'
import { searchedLengthMax } from './json-fault.ts'

const quote = 0x22
const backslash = 0x5c
const colon = 0x3a

/**
 * Returns the path of the first duplicate key in well-formed JSON (UTF-8), empty if the text is too
 * long to locate it; null without one. `value` is the result of JSON.parse, which keeps the last
 * value of a key: with a duplicate it has fewer keys than the text has names. Comparing these two
 * counts takes a third of the time of a second parser (1 KB of JSON), so that parser runs only to
 * locate the key. It is recursive: bound the depth before (`requireBounded`).
 */
export function repeatedKey(bytes: Uint8Array, value: object): (string | number)[] | null {
  return countNames(bytes) === countKeys(value) ? null : pathOfRepeated(bytes)
}

/** Counts the key names in a text: one for each colon outside strings. */
function countNames(bytes: Uint8Array): number {
  let names = 0
  let isString = false
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]
    if (byte === quote) isString = !isString
    else if (isString && byte === backslash) at += 1
    else if (!isString && byte === colon) names += 1
  }
  return names
}

/** Counts the keys of all objects in a value. */
function countKeys(value: object): number {
  let keys = 0
  const rest: object[] = [value]
  for (let one = rest.pop(); one !== undefined; one = rest.pop()) {
    const values: unknown[] = Array.isArray(one) ? one : Object.values(one)
    if (!Array.isArray(one)) keys += values.length
    for (const below of values) {
      if (typeof below === 'object' && below !== null) rest.push(below)
    }
  }
  return keys
}

function pathOfRepeated(bytes: Uint8Array): (string | number)[] {
  const text = Buffer.from(bytes).toString()
  const seen: Set<string>[] = []
  let found: (string | number)[] | null = null
  if (text.length > searchedLengthMax) return []
  jsonc.visit(text, {
    onObjectBegin: () => void seen.push(new Set()),
    onObjectEnd: () => void seen.pop(),
    onObjectProperty: (name, ...place) => {
      const [, , , , pathOfObject] = place
      const names = seen.at(-1)
      if (names?.has(name)) found ??= [...pathOfObject(), name]
      names?.add(name)
    },
  })
  return found ?? []
}
