import { lineCounter } from '../row-place.ts'
import { Pages, type PagesPart } from '../rows/pages.ts'

/** The lines of a field `:61:`, its line number `at`, and the lines of the `:86:` after it. */
export type MtEntry = { lines: string[]; texts: string[]; at: number }

/** Tags of the fields of a message besides its entries. */
const TAGS = {
  account: ['25', '25P'],
  balance: ['60F', '60M', '62F', '62M', '64'],
  opening: ['60F', '60M'],
  ending: ['62F', '62M'],
  closing: ['62F'],
  available: ['64'],
  floor: ['34F'],
  sums: ['90D', '90C'],
}
type FieldKind = keyof typeof TAGS
const fieldKinds = Object.keys(TAGS) as FieldKind[]

/**
 * One message about an account, which begins with `:20:`. Has its entries, and by kind of field
 * (`TAGS`) the first line of the message's first field of this kind, without the tag.
 */
export type MtMessage = Record<FieldKind, string | null> & { entries: PagesPart<MtEntry> }

/** Maximum length of a line in characters; the standard has 65. Longer lines are cut. */
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
    if (tag === '20') messages.push(startMessage(entries.part()))
    const message = messages.at(-1)
    if (message === undefined) continue
    const lines: string[] = tag === '86' && entry !== null ? (entry as MtEntry).texts : []
    lines.push(line.slice(start.length))
    field = { lines, size: 1 }
    if (tag === '61') entry = { lines, texts: [], at: lineAt(index) }
    else if (entry === null) setField(message, tag, { line: line.slice(start.length), messages })
  }
  endEntry()
  return messages
}

function startMessage(entries: PagesPart<MtEntry>): MtMessage {
  const none = { account: null, balance: null, opening: null, ending: null, closing: null }
  return { ...none, available: null, floor: null, sums: null, entries }
}

/**
 * Sets a field of the last message. A text that the message before has, too, is stored once for
 * both to save memory, because some files have a message for each entry.
 */
function setField(
  message: MtMessage,
  tag: string,
  { line, messages }: { line: string; messages: readonly MtMessage[] },
): void {
  for (const one of fieldKinds) {
    if (message[one] !== null || !TAGS[one].includes(tag)) continue
    const [text, before] = [line.trim(), messages.at(-2)?.[one]]
    message[one] = before === text ? before : text
  }
}
