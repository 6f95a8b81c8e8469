// @ts-check
import { getOption } from '@bufbuild/protobuf'
import { createEcmaScriptPlugin, getComments, runNodeJs } from '@bufbuild/protoplugin'

// Plugin of protoc: writes two tables of all messages. One has the comments of messages and fields,
// of which the OpenAPI document takes descriptions (proto/README.md#descriptions), the other the
// lists of values of fields, with their types (proto/README.md#values).

/** @typedef {import('@bufbuild/protobuf').DescMessage} DescMessage */
/** @typedef {import('@bufbuild/protobuf').DescField} DescField */

/**
 * Returns the first paragraph of a comment as one line; further paragraphs are for engineers. Names
 * of fields in backticks get their spelling in JSON.
 *
 * @param {DescMessage | DescField} described
 * @param {DescMessage} message
 */
function descriptionOf(described, message) {
  const [paragraph = ''] = (getComments(described).leading ?? '').split(/\n\s*\n/)
  const line = paragraph.replaceAll(/\s+/g, ' ').trim()
  return line.replaceAll(/`(\w+)`/g, (quoted, name) => {
    const field = message.fields.find((one) => one.name === name)
    return field ? `\`${field.localName}\`` : quoted
  })
}

/**
 * @param {readonly DescMessage[]} messages
 * @returns {[string, string][]}
 */
function entriesOf(messages) {
  return messages.flatMap((message) => {
    const { typeName, fields, nestedMessages } = message
    /** @type {[string, string][]} */
    const ofFields = fields.map((field) => [
      `${typeName}.${field.localName}`,
      descriptionOf(field, message),
    ])
    return [[typeName, descriptionOf(message, message)], ...ofFields, ...entriesOf(nestedMessages)]
  })
}

/**
 * @param {readonly DescMessage[]} messages
 * @returns {DescField[]}
 */
function fieldsOf(messages) {
  return messages.flatMap(({ fields, nestedMessages }) => [...fields, ...fieldsOf(nestedMessages)])
}

/**
 * Returns the lists of values by name of message and field. Throws an error if two messages of one
 * name have different lists.
 *
 * @param {readonly DescFile[]} files
 * @returns {Record<string, string[]>}
 */
function valuesOf(files) {
  const option = files.flatMap(({ extensions }) => extensions).find(({ name }) => name === 'values')
  if (option === undefined) throw new Error('no option has the name "values"')
  /** @type {Record<string, string[]>} */
  const table = {}
  for (const field of fieldsOf(files.flatMap(({ messages }) => messages))) {
    const list = /** @type {string[]} */ (getOption(field, option))
    if (list.length === 0) continue
    const key = `${field.parent.name}.${field.localName}`
    const known = table[key] ?? list
    if (known.join() !== list.join()) throw new Error(`two messages have different values: ${key}`)
    table[key] = list
  }
  return table
}

/** @typedef {import('@bufbuild/protobuf').DescFile} DescFile */
/** @typedef {{ name: string, doc: string, type: string, value: string }} Table */

/**
 * @param {readonly DescFile[]} files
 * @returns {Table[]}
 */
function tablesOf(files) {
  const entries = files.flatMap(({ messages }) => entriesOf(messages))
  const descriptions = Object.fromEntries(entries.filter(([, text]) => text !== ''))
  const values = JSON.stringify(valuesOf(files))
  return [
    {
      name: 'descriptions',
      doc: 'Descriptions keyed by message, or by message and field: coffer.ledger.v1.Link.linkId.',
      type: 'Readonly<Record<string, string>>',
      value: JSON.stringify(descriptions),
    },
    {
      name: 'values',
      doc: 'Lists of values, keyed by message and field: Link.linkType.',
      type: values.replaceAll(':[', ': readonly ['),
      value: values,
    },
  ]
}

/**
 * @param {import('@bufbuild/protoplugin').Schema} schema
 * @param {'js' | 'ts' | 'dts'} target
 */
function generate({ files, generateFile }, target) {
  const own = files.filter(({ proto }) => proto.package.startsWith('coffer.'))
  // buf runs the plugin once for each input; only one has messages of Coffer.
  if (own.length === 0) return
  for (const { name, doc, type, value } of tablesOf(own)) {
    const file = generateFile(`coffer/${name}.${target === 'dts' ? 'd.ts' : target}`)
    file.print(`/** ${doc} */`)
    if (target === 'dts') file.print(`export declare const ${name}: ${type}`)
    else file.print(`export const ${name} = ${value}`)
  }
}

runNodeJs(
  createEcmaScriptPlugin({
    name: 'protoc-gen-tables',
    version: '1',
    generateTs: generate,
    generateJs: generate,
    generateDts: generate,
  }),
)
