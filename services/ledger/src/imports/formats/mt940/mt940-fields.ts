import { lineCounter } from '../row-place.ts'

/**
 * A field of a SWIFT message: its tag, such as `61`, its lines without the tag, and the line of the
 * file on which it begins.
 */
export type MtField = { tag: string; lines: string[]; at: number }

/** The fields of one message of an account, from `:20:` on, in their order. */
export type MtMessage = MtField[]

/** Maximum length of a line in characters, far more than the 65 of the standard; it is cut. */
const LINE_LENGTH_MAX = 10_000
/** Maximum number of lines of a field that are kept: the standard has 6, some banks write more. */
const LINES_MAX = 100

/**
 * Returns the messages of an MT940 or MT942 text. Lines before the first `:20:`, blocks of the
 * SWIFT envelope and the ends of messages (`-`, `-}`) are left out. Some banks write `@@` between
 * the fields in place of line breaks.
 */
export function readMtMessages(text: string): MtMessage[] {
  const messages: MtMessage[] = []
  const broken = text.replaceAll('@@', '\n')
  const lineAt = lineCounter(broken)
  for (const { 0: found, index } of broken.matchAll(/[^\r\n]+/g)) {
    const line = found.slice(0, LINE_LENGTH_MAX).replace(/^\{.*\{4:|-\}$/g, '')
    const [start = '', tag] = /^\s*:(\d\d[A-Z]?):/.exec(line) ?? []
    const message = messages.at(-1)
    if (tag === '20') {
      messages.push([{ tag, lines: [line.slice(start.length)], at: lineAt(index) }])
    } else if (tag !== undefined) {
      message?.push({ tag, lines: [line.slice(start.length)], at: lineAt(index) })
    } else if (!/^(?:\{|-?\s*$)/.test(line)) {
      const lines = message?.at(-1)?.lines
      if (lines !== undefined && lines.length < LINES_MAX) lines.push(line)
    }
  }
  return messages
}

/** Returns the first line of the first field with one of these tags; undefined without one. */
export function firstLineOf(message: MtMessage, ...tags: string[]): string | undefined {
  return message.find(({ tag }) => tags.includes(tag))?.lines[0]?.trim()
}
