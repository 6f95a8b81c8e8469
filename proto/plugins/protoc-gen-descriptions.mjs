// @ts-check
import { createEcmaScriptPlugin, getComments, runNodeJs } from '@bufbuild/protoplugin'

// Plugin of protoc: writes the comments of all messages and their fields to one table, of which the
// OpenAPI document takes the descriptions of answers (proto/README.md#descriptions).

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

const type = 'Readonly<Record<string, string>>'

/**
 * @param {import('@bufbuild/protoplugin').Schema} schema
 * @param {'js' | 'ts' | 'dts'} target
 */
function generate({ files, generateFile }, target) {
  const own = files.filter(({ proto }) => proto.package.startsWith('coffer.'))
  // buf runs the plugin once for each input; only one has messages of Coffer.
  if (own.length === 0) return
  const entries = own.flatMap(({ messages }) => entriesOf(messages))
  const table = JSON.stringify(Object.fromEntries(entries.filter(([, text]) => text !== '')))
  const file = generateFile(`coffer/descriptions.${target === 'dts' ? 'd.ts' : target}`)
  const doc =
    'Descriptions keyed by message, or by message and field: coffer.ledger.v1.Link.linkId.'
  file.print(`/** ${doc} */`)
  if (target === 'dts') file.print(`export declare const descriptions: ${type}`)
  else file.print(`export const descriptions = ${table}`)
}

runNodeJs(
  createEcmaScriptPlugin({
    name: 'protoc-gen-descriptions',
    version: '1',
    generateTs: generate,
    generateJs: generate,
    generateDts: generate,
  }),
)
