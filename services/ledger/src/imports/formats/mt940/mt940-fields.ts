import { lineCounter } from '../row-place.ts'
import { Pages, type PagesPart } from '../rows/pages.ts'

/** A field of a SWIFT message: its tag, such as `25`, and its first line without the tag. */
export type MtField = { tag: string; line: string }

/** The lines of a field `:61:`, which is on line `at`, and those of the fields `:86:` after it. */
export type MtEntry = { lines: string[]; texts: string[]; at: number }

/** One message of an account, from `:20:` on: its entries, and its other fields in their order. */
export type MtMessage = { fields: MtField[]; entries: PagesPart<MtEntry> }

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
  const entries = new Pages<MtEntry>()
  const broken = text.replaceAll('@@', '\n')
  const lineAt = lineCounter(broken)
  let entry: MtEntry | null = null
  let field: { lines: string[]; size: number } | null = null
  const endEntry = () => {
    if (entry !== null) messages.at(-1)?.entries.push(entry)
    entry = null
  }
  for (const { 0: found, index } of broken.matchAll(/[^\r\n]+/g)) {
    const line = found.slice(0, LINE_LENGTH_MAX).replace(/^\{.*\{4:|-\}$/g, '')
    const [start = '', tag] = /^\s*:(\d\d[A-Z]?):/.exec(line) ?? []
    if (tag === undefined) {
      if (field === null || field.size === LINES_MAX || /^(?:\{|-?\s*$)/.test(line)) continue
      field.lines.push(line)
      field.size += 1
      continue
    }
    if (tag !== '86') endEntry()
    if (tag === '20') messages.push({ fields: [], entries: entries.part() })
    const message = messages.at(-1)
    if (message === undefined) continue
    const lines: string[] = tag === '86' && entry !== null ? (entry as MtEntry).texts : []
    lines.push(line.slice(start.length))
    field = { lines, size: 1 }
    if (tag === '61') entry = { lines, texts: [], at: lineAt(index) }
    else if (entry === null) message.fields.push({ tag, line: line.slice(start.length) })
  }
  endEntry()
  return messages
}

/** Returns the first line of the first field with one of these tags; undefined without one. */
export function firstLineOf({ fields }: MtMessage, ...tags: string[]): string | undefined {
  return fields.find(({ tag }) => tags.includes(tag))?.line.trim()
}
