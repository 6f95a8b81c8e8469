// @ts-check
import { getOption, ScalarType } from '@bufbuild/protobuf'
import { FeatureSet_FieldPresence } from '@bufbuild/protobuf/wkt'
import { createEcmaScriptPlugin, runNodeJs } from '@bufbuild/protoplugin'

// Plugin of protoc: writes straight-line code for each type of message
// (proto/README.md#conversions): `to-message.js` from plain values to messages, `to-json.js` from
// messages to the JSON of REST.

/** @typedef {import('@bufbuild/protobuf').DescFile} DescFile */
/** @typedef {import('@bufbuild/protobuf').DescMessage} DescMessage */
/** @typedef {import('@bufbuild/protobuf').DescField} DescField */
/** @typedef {import('@bufbuild/protobuf').DescExtension} DescExtension */

const timestamp = 'google.protobuf.Timestamp'
const { DOUBLE, FLOAT, INT64, UINT64, FIXED64, SFIXED64, SINT64, BOOL, STRING, BYTES } = ScalarType
const bigints = [INT64, UINT64, FIXED64, SFIXED64, SINT64]

/**
 * @param {readonly DescMessage[]} messages
 * @returns {DescMessage[]}
 */
function withNested(messages) {
  return messages.flatMap((message) => [message, ...withNested(message.nestedMessages)])
}

/**
 * Returns the messages that an entity or an answer can have: no requests, none with a `oneof`.
 *
 * @param {readonly DescFile[]} files
 */
function convertible(files) {
  return withNested(files.flatMap(({ messages }) => messages)).filter(
    ({ name, oneofs }) => !name.endsWith('Request') && oneofs.length === 0,
  )
}

/** @param {DescMessage} message */
function functionName({ typeName }) {
  return typeName.replace(/^coffer\./, '').replaceAll('.', '_')
}

/**
 * @param {DescMessage} message
 * @param {readonly DescMessage[]} made the messages that have a maker
 * @returns {string[]} the lines of the function that makes the message
 */
function makerOf(message, made) {
  const fields = message.fields.map((field) => `    ${field.localName}: ${madeValue(field, made)},`)
  return [
    `  const ${functionName(message)} = (e) => ({`,
    `    $typeName: '${message.typeName}',`,
    ...fields,
    '  })',
  ]
}

/**
 * @param {DescField} field
 * @param {readonly DescMessage[]} made
 */
function madeValue(field, made) {
  const value = `e.${field.localName}`
  if (field.fieldKind === 'list' && field.message && made.includes(field.message)) {
    return `messages(${value}, ${functionName(field.message)})`
  }
  if (field.fieldKind === 'list') return `${value} ?? []`
  if (field.fieldKind === 'map') return `${value} ?? {}`
  if (field.message?.typeName === timestamp) return `timestamp(${value})`
  return `${value} ?? ${isImplicit(field) ? zeroOf(field) : 'undefined'}`
}

/**
 * Returns whether a field is never unset: it has the zero value of its type instead.
 *
 * @param {DescField} field
 */
function isImplicit({ presence }) {
  return presence === FeatureSet_FieldPresence.IMPLICIT
}

/** @param {DescField} field */
function zeroOf({ scalar }) {
  if (scalar === STRING) return "''"
  if (scalar === BOOL) return 'false'
  if (scalar === BYTES) return 'new Uint8Array(0)'
  return bigints.includes(Number(scalar)) ? '0n' : '0'
}

/** @typedef {(name: string) => DescExtension} Options */

/**
 * Returns the function of a message that writes its members without braces; the code of a text
 * with the option `coded` follows the fields.
 *
 * @param {DescMessage} message
 * @param {Options} option
 * @returns {string[]}
 */
function writerOf(message, option) {
  const shown = message.fields.filter((field) => !getOption(field, option('internal')))
  const parts = shown.map((field) => memberOf(field, option))
  for (const { localName } of shown.filter((field) => getOption(field, option('coded')))) {
    parts.push({ if: null, key: '', value: `coded('${localName}', m.${localName})` })
  }
  const startsAlways = parts[0]?.if === null && parts[0].key !== ''
  const lines = parts.map(({ if: condition, key, value }, index) => {
    const comma = index === 0 && startsAlways ? '' : ','
    const text = key === '' ? value : `'${comma}"${key}":' + ${value}`
    return condition === null ? `    s += ${text}` : `    if (${condition}) s += ${text}`
  })
  const written = startsAlways || parts.length === 0 ? 's' : 's.slice(1)'
  return [
    `  const ${functionName(message)} = (m) => {`,
    "    let s = ''",
    ...lines,
    `    return ${written}`,
    '  }',
  ]
}

/**
 * Returns the value of a field as code, and the condition under which the answer has the field.
 *
 * @param {DescField} field
 * @param {Options} option
 * @returns {{ if: string | null, key: string, value: string }}
 */
function memberOf(field, option) {
  const key = field.localName
  const value = `m.${key}`
  const isOmitted = getOption(field, option('omit')) === true
  if (field.fieldKind === 'list') {
    const { message } = field
    const list =
      message && message.typeName !== timestamp
        ? `messages(${value}, ${functionName(message)})`
        : `list(${value}, ${elementWriter(field)})`
    const isSet = `${value}.length > 0`
    const isNull = getOption(field, option('null_when_empty')) === true
    if (isNull) return { if: null, key, value: `(${isSet} ? ${list} : 'null')` }
    return { if: isOmitted ? isSet : null, key, value: list }
  }
  if (isImplicit(field)) {
    const isBlank = isOmitted && field.scalar === STRING
    return { if: isBlank ? `${value} !== ''` : null, key, value: singular(field, value) }
  }
  const isSet = `${value} !== undefined`
  if (isOmitted) return { if: isSet, key, value: singular(field, value) }
  return { if: null, key, value: `(${isSet} ? ${singular(field, value)} : 'null')` }
}

/**
 * @param {DescField} field
 * @param {string} value code
 */
function singular(field, value) {
  const { fieldKind, message, scalar } = field
  if (fieldKind === 'map' || scalar === DOUBLE || scalar === FLOAT) {
    return `json(${value})`
  }
  if (message?.typeName === timestamp) return `instant(${value})`
  if (message) return `'{' + ${functionName(message)}(${value}) + '}'`
  if (scalar === STRING) return `text(${value})`
  return bigints.includes(Number(scalar)) ? `Number(${value})` : value
}

/** @param {DescField} field */
function elementWriter({ message, scalar }) {
  if (message?.typeName === timestamp) return 'instant'
  if (scalar === STRING) return 'text'
  return bigints.includes(Number(scalar)) ? '(one) => String(Number(one))' : 'json'
}

/**
 * Returns the messages whose JSON can be written: those whose fields all have a form in REST.
 *
 * @param {readonly DescMessage[]} messages
 * @param {Options} option
 */
function writable(messages, option) {
  let left = messages
  for (;;) {
    const names = new Set([timestamp, ...left.map(({ typeName }) => typeName)])
    const next = left.filter(({ fields }) =>
      fields.every((field) => {
        if (getOption(field, option('internal'))) return true
        return field.message ? names.has(field.message.typeName) : field.scalar !== BYTES
      }),
    )
    if (next.length === left.length) return left
    left = next
  }
}

/**
 * @param {import('@bufbuild/protoplugin').Schema} schema
 * @param {'js' | 'ts' | 'dts'} target
 */
function generate({ files, generateFile }, target) {
  const own = files.filter(({ proto }) => proto.package.startsWith('coffer.'))
  // buf runs the plugin once for each input; only one has messages of Coffer.
  if (own.length === 0) return
  const extensions = own.flatMap((file) => file.extensions)
  /** @type {Options} */
  const option = (name) => {
    const found = extensions.find((extension) => extension.name === name)
    if (found === undefined) throw new Error(`no option has the name ${name}`)
    return found
  }
  const made = convertible(own)
  const written = writable(made, option)
  const conversions = [
    {
      file: 'to-message',
      name: 'createMakers',
      of: made,
      line: (/** @type {DescMessage} */ message) => makerOf(message, made),
      ...helpersOfMakers,
    },
    {
      file: 'to-json',
      name: 'createWriters',
      of: written,
      line: (/** @type {DescMessage} */ message) => writerOf(message, option),
      ...helpersOfWriters,
    },
  ]
  for (const { file, name, of, line, doc, helpers, type } of conversions) {
    const out = generateFile(`coffer/${file}.${target === 'dts' ? 'd.ts' : target}`)
    const names = Object.keys(helpers)
    out.print(`/** ${doc} */`)
    if (target === 'dts') {
      const types = Object.entries(helpers).map(([helper, of]) => `  ${helper}: ${of}`)
      out.print(`export declare function ${name}(helpers: {\n${types.join('\n')}\n}): ${type}`)
      continue
    }
    out.print(`export function ${name}({ ${names.join(', ')} }) {`)
    for (const message of of) for (const text of line(message)) out.print(text)
    out.print('  return {')
    for (const message of of) out.print(`    '${message.typeName}': ${functionName(message)},`)
    out.print('  }')
    out.print('}')
  }
}

const helpersOfMakers = {
  doc: 'Returns the function of each type of message that makes it from plain values.',
  helpers: {
    timestamp: '(value: unknown) => unknown',
    messages:
      '(list: readonly object[] | null | undefined, make: (entity: object) => object) => unknown',
  },
  type: 'Readonly<Record<string, (entity: object) => object>>',
}

const helpersOfWriters = {
  doc: 'Returns the function of each type of message that writes its members, without braces.',
  helpers: {
    text: '(value: string) => string',
    instant: '(value: never) => string',
    messages: '(values: readonly object[], write: (message: object) => string) => string',
    list: '(values: readonly never[], write: (value: never) => string) => string',
    json: '(value: unknown) => string',
    coded: '(name: string, value: unknown) => string',
  },
  type: 'Readonly<Record<string, (message: object) => string>>',
}

runNodeJs(
  createEcmaScriptPlugin({
    name: 'protoc-gen-conversions',
    version: '1',
    generateTs: generate,
    generateJs: generate,
    generateDts: generate,
  }),
)
