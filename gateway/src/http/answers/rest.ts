import type { DescMessage, MessageShape } from '@bufbuild/protobuf'
import { createWriters } from '@coffer/proto/to-json'
import { codedKey, codedValue } from './coded-text.ts'
import { instantJson } from './instant.ts'

// Characters that JSON escapes (RFC 8259, 7), and lone surrogates, as JSON.stringify does.
const escaped = /["\\\p{Cc}\p{Cs}]/u

const writers = createWriters({
  // Most texts need no escape, and a search for one is faster than JSON.stringify.
  text: (value) => (escaped.test(value) ? JSON.stringify(value) : `"${value}"`),
  instant: instantJson,
  messages: (values, write) => {
    let text = ''
    for (const one of values) text += (text === '' ? '[{' : '},{') + write(one)
    return text === '' ? '[]' : `${text}}]`
  },
  list: (values, write) => `[${values.map((one) => write(one)).join(',')}]`,
  json: JSON.stringify,
  coded: (name, value) => {
    const shown = value === undefined ? undefined : codedValue(value)
    return shown === undefined ? '' : `,"${codedKey(name)}":${JSON.stringify(shown)}`
  },
})

/**
 * Returns the function that writes the members of a message as JSON for REST, without braces: int64
 * as number, timestamps as RFC 3339 in UTC. Field options say whether an unset field is null or
 * omitted (coffer/options/v1), and which text has a code in a key of its own. The code is generated
 * (proto/README.md#conversions).
 */
export function membersWriter<Desc extends DescMessage>(
  schema: Desc,
): (message: MessageShape<Desc>) => string {
  const write = writers[schema.typeName]
  if (!write) throw new Error(`${schema.typeName} has fields that no answer has`)
  return write
}
