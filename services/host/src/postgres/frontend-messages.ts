import pg from 'pg'
import { serialize } from 'pg-protocol'
import { Writer } from 'pg-protocol/dist/buffer-writer.js'

/** A parameter as it is sent: a text, bytes in binary format, or NULL. */
export type Parameter = string | Buffer | null

type Encode = (value: unknown) => Parameter

/** Converts a value as pg does. Most values are texts, which need no conversion. */
export const encode: Encode = (value) => (typeof value === 'string' ? value : prepareValue(value))

// pg exports its conversion of parameters as `utils.prepareValue`, which its types do not declare.
const { prepareValue } = (pg as unknown as { utils: { prepareValue: Encode } }).utils

/** Maximum number of parameters of a statement, whose count has 16 bits. */
export const parametersMax = 65_535

/** Asks for the columns of the bound statement. */
export const describe = serialize.describe({ type: 'P' })

/** Runs the bound statement. Sync: an error ends this statement only, not those behind it. */
export const execute = Buffer.concat([serialize.execute(), serialize.sync()])

const bindType = 0x42

/**
 * Returns the message that binds parameters to a prepared statement (PostgreSQL documentation,
 * Message Formats). `formats` are the format codes of the columns of its answer (1 for binary);
 * without any, all are texts. pg-protocol's own `bind` has one format for all columns.
 */
export function bind(
  name: string,
  parameters: readonly Parameter[],
  formats: readonly number[],
): Buffer {
  const writer = new Writer()
  writer.addCString('').addCString(name).addInt16(parameters.length)
  for (const parameter of parameters) writer.addInt16(parameter instanceof Buffer ? 1 : 0)
  writer.addInt16(parameters.length)
  for (const parameter of parameters) {
    if (parameter === null) writer.addInt32(-1)
    else if (typeof parameter === 'string') writer.addInt32PrefixedString(parameter)
    else writer.addInt32(parameter.length).add(parameter)
  }
  writer.addInt16(formats.length)
  for (const format of formats) writer.addInt16(format)
  return writer.flush(bindType)
}
