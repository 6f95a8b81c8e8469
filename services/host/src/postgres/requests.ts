import pg from 'pg'

/** A parameter as it is sent: a text, bytes in binary format, or NULL. */
export type Parameter = string | Buffer | null

type Encode = (value: unknown) => Parameter

/** Converts a value as pg does. Most values are texts, which need no conversion. */
export const encode: Encode = (value) => (typeof value === 'string' ? value : prepareValue(value))

// pg exports its conversion of parameters as `utils.prepareValue`, which its types do not declare.
const { prepareValue } = (pg as unknown as { utils: { prepareValue: Encode } }).utils

/** Messages Execute of the unnamed portal without a limit of rows, and Sync. */
const executeAndSync = Buffer.from([0x45, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0x53, 0, 0, 0, 4])

/** Maximum number of parameters of a statement, whose count has 16 bits. */
export const parametersMax = 65_535

/** Size of a buffer in bytes, and the largest one that is kept for the next messages. */
const sizeAtFirst = 8_192
const keptMax = 65_536

/**
 * Writes messages of the extended query protocol (PostgreSQL documentation, Message Formats), and
 * collects them until `take`.
 */
export class Requests {
  #bytes = Buffer.allocUnsafe(sizeAtFirst)
  #size = 0

  /** Returns the collected messages, and forgets them. */
  take(): Buffer {
    const messages = this.#bytes.subarray(0, this.#size)
    this.#size = 0
    if (this.#bytes.length <= keptMax) return Buffer.from(messages)
    this.#bytes = Buffer.allocUnsafe(sizeAtFirst)
    return messages
  }

  /** Adds the messages that `write` writes; none of them if it throws. */
  collect(write: (requests: Requests) => void): void {
    const size = this.#size
    try {
      write(this)
    } catch (error) {
      this.#size = size
      throw error
    }
  }

  /** Prepares a statement under a name; the empty name is that of the unnamed statement. */
  parse(name: string, text: string): void {
    const start = this.#begin('P')
    this.#cstring(name)
    this.#cstring(text)
    this.#int16(0)
    this.#end(start)
  }

  /**
   * Binds parameters to a prepared statement. `formats` are the format codes of the columns of its
   * answer (1 for binary); without any, all are texts.
   */
  bind(name: string, parameters: readonly Parameter[], formats: readonly number[]): void {
    const start = this.#begin('B')
    this.#cstring('')
    this.#cstring(name)
    this.#int16(parameters.length)
    for (const parameter of parameters) this.#int16(parameter instanceof Buffer ? 1 : 0)
    this.#int16(parameters.length)
    for (const parameter of parameters) this.#parameter(parameter)
    this.#int16(formats.length)
    for (const format of formats) this.#int16(format)
    this.#end(start)
  }

  /** Asks for the columns of the bound statement. */
  describe(): void {
    const start = this.#begin('D')
    this.#cstring('P')
    this.#end(start)
  }

  /** Runs the bound statement. Sync: an error ends this statement only, not those behind it. */
  execute(): void {
    this.#reserve(executeAndSync.length)
    this.#size += executeAndSync.copy(this.#bytes, this.#size)
  }

  /** Runs statements without parameters, by the simple query protocol. */
  query(text: string): void {
    const start = this.#begin('Q')
    this.#cstring(text)
    this.#end(start)
  }

  /** Writes the type of a message; returns the place of its length, which `#end` fills in. */
  #begin(type: string): number {
    this.#reserve(5)
    this.#bytes[this.#size] = type.charCodeAt(0)
    const start = this.#size + 1
    this.#size += 5
    return start
  }

  #end(start: number): void {
    this.#bytes.writeInt32BE(this.#size - start, start)
  }

  #parameter(parameter: Parameter): void {
    this.#reserve(4 + (parameter === null ? 0 : sizeMaxOf(parameter)))
    const start = this.#size + 4
    let length = -1
    if (typeof parameter === 'string') length = this.#bytes.write(parameter, start)
    else if (parameter !== null) length = parameter.copy(this.#bytes, start)
    this.#bytes.writeInt32BE(length, this.#size)
    this.#size = start + Math.max(length, 0)
  }

  #cstring(text: string): void {
    this.#reserve(sizeMaxOf(text) + 1)
    this.#size += this.#bytes.write(text, this.#size)
    this.#bytes[this.#size++] = 0
  }

  #int16(value: number): void {
    this.#reserve(2)
    this.#size = this.#bytes.writeUInt16BE(value, this.#size)
  }

  #reserve(size: number): void {
    if (this.#size + size <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(2 * (this.#size + size))
    this.#bytes.copy(larger, 0, 0, this.#size)
    this.#bytes = larger
  }
}

/** Returns how many bytes a value takes at most; exactly, if it is long. */
function sizeMaxOf(value: string | Buffer): number {
  if (typeof value !== 'string') return value.length
  return value.length < 1_024 ? value.length * 3 : Buffer.byteLength(value)
}
