/** The texts of the field `:86:`; `name` is the other party, `kind` the kind of the booking. */
export type MtTexts = { name: string; memo: string; kind: string }

/** Length of a full line of plain text: a word may continue in the next line. */
const LINE_LENGTH = 65
/** Length of a full subfield in the structured format: a word may continue in the next subfield. */
const PART_LENGTH = 27
/** German, Austrian and Polish format: three digits, then subfields (separator and two digits). */
const STRUCTURED = /^\s*\d{3}\s?([?~^<>|@+])\d\d/
/** Keywords that begin the parts of a SEPA payment's purpose. */
const SEPA = /(EREF|KREF|MREF|CRED|DEBT|COAM|OAMT|SVWZ|ABWA|ABWE|PURP|IBAN|BIC)\+/g
/** Dutch and Belgian format: keywords between slashes begin the parts. */
const SLASHED_WORDS =
  'TRTP CSID NAME MARF REMI IBAN BIC EREF ORDP BENM ADDR ISDT PREF CNTP PURP RTRN ULTD ULTC ID SVCL'
const SLASHED = new RegExp(`/(${SLASHED_WORDS.replaceAll(' ', '|')})/`, 'g')

/** Parses a field `:86:` in the format of its bank (docs/file-formats.md). */
export function readMtTexts(lines: readonly string[], { isOut }: { isOut: boolean }): MtTexts {
  const mark = STRUCTURED.exec(lines[0] ?? '')?.[1]
  if (mark !== undefined) return structuredTexts(lines, { mark, isOut })
  const text = joined(lines, LINE_LENGTH)
  return slashedTexts(lines, { isOut }) ?? { name: '', memo: text, kind: '' }
}

/** Parses subfields: 00 kind, 20 to 29 and 60 to 63 purpose, 32 and 33 the other party's name. */
function structuredTexts(
  lines: readonly string[],
  { mark, isOut }: { mark: string; isOut: boolean },
): MtTexts {
  // Lines are joined before the split, because a subfield may break anywhere, even in its number.
  const [, ...parts] = lines.join('').split(mark)
  const purpose: string[] = []
  const names: string[] = []
  let kind = ''
  for (const part of parts) {
    const number = /^\d\d/.exec(part)?.[0]
    const text = part.slice(2)
    if (number === undefined) {
      // Without a number after it, the separator is a character of the text.
      purpose.push(`${purpose.pop() ?? ''}${mark}${part}`)
    } else if (/^(?:2\d|6[0-3])$/.test(number)) {
      purpose.push(text)
    } else if (number === '32' || number === '33') {
      names.push(text)
    } else if (number === '00') {
      kind = text.trim()
    }
  }
  const written = joined(purpose, PART_LENGTH)
  const sepa = partsBetween(written, SEPA)
  const ultimate = sepa.get(isOut ? 'ABWE' : 'ABWA') ?? ''
  return {
    name: ultimate || joined(names, PART_LENGTH),
    memo: sepa.get('SVWZ') || written,
    kind,
  }
}

/** Parses `/NAME/…/REMI/…` and `/CNTP/account/BIC/name/city//`; null without such keywords. */
function slashedTexts(lines: readonly string[], { isOut }: { isOut: boolean }): MtTexts | null {
  const text = lines.join('')
  const parts = partsBetween(text, SLASHED)
  if (!/^\s*\//.test(text) || parts.size === 0) return null
  const [, , counterparty = ''] = (parts.get('CNTP') ?? '').split('/')
  const ultimate = parts.get(isOut ? 'ULTC' : 'ULTD')
  const remittance = (parts.get('REMI') ?? '').replace(/^(?:USTD|STRD\/CUR)?\/+/, '')
  return {
    name: (ultimate || parts.get('NAME') || counterparty).replace(/\/+$/, ''),
    memo: remittance.replace(/\/+$/, '') || text,
    kind: parts.get('TRTP') ?? '',
  }
}

/** Returns the text after each keyword, up to the next one; the first of equal keywords wins. */
function partsBetween(text: string, words: RegExp): Map<string, string> {
  const found = [...text.matchAll(words)]
  const parts = new Map<string, string>()
  for (const [index, match] of found.entries()) {
    const [all, word = ''] = match
    const value = text.slice(match.index + all.length, found[index + 1]?.index).trim()
    if (!parts.has(word) && value !== '') parts.set(word, value)
  }
  return parts
}

/** Joins texts: with a blank, except after a full one, where a word may be split. */
function joined(texts: readonly string[], fullLength: number): string {
  return texts
    .map((text, index) =>
      index < texts.length - 1 && text.length < fullLength ? `${text} ` : text,
    )
    .join('')
    .trim()
}
