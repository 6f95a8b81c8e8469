/** Fields of a record by letter; the first of a letter that repeats, as in splits. */
export type QifRecord = Readonly<Record<string, string>>

/** Consecutive records of one kind, such as `Bank`, in the account named before them, if any. */
export type QifSection = { kind: string; account: string; records: QifRecord[] }

/** Longer lines are cut; no field has as many characters. */
const LINE_LENGTH_MAX = 10_000

/**
 * Returns the sections of a QIF file (docs/file-formats.md#qif). Headers begin with `!`, fields
 * with their letter, and `^` ends a record. A header or the end of the file also ends a record.
 */
export function readQifSections(text: string): QifSection[] {
  const sections: QifSection[] = []
  let account = ''
  let fields: Record<string, string> = {}
  const endRecord = () => {
    const section = sections.at(-1)
    if (section !== undefined && Object.keys(fields).length > 0) {
      section.records.push(fields)
      account = section.kind === 'Account' ? (fields.N ?? account) : account
    }
    fields = {}
  }
  for (const [line] of text.matchAll(/[^\r\n]+/g)) {
    const written = line.trim().slice(0, LINE_LENGTH_MAX)
    if (written.startsWith('!')) {
      endRecord()
      startSection(sections, { header: written, account })
    } else if (written.startsWith('^')) {
      endRecord()
    } else if (written !== '') {
      const letter = written.charAt(0)
      fields[letter] ??= written.slice(1).trim()
    }
  }
  endRecord()
  return sections
}

/** Options are no sections: the records after them belong to the next header. */
function startSection(
  sections: QifSection[],
  { header, account }: { header: string; account: string },
): void {
  const [, kind] = /^!(?:Type:)?\s*(.+)$/i.exec(header) ?? []
  if (kind !== undefined && !/^(?:Option|Clear):/i.test(kind)) {
    sections.push({ kind: kind.trim(), account, records: [] })
  }
}
