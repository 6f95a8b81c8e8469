import { say } from '@coffer/kit/reasons/reasons'
import chardet from 'chardet'
import type { MadeChoice } from '../statement.ts'
import { isPlausible, isShiftJis } from './letters.ts'

const SINGLE_BYTE = 'windows-1252'
const HEADER_LENGTH_MAX = 1024
/** Length in bytes of the sample from which the character set is guessed. */
const SAMPLE_LENGTH = 65_536
/** Minimum number of non-ASCII bytes for a guess; a file with fewer counts as Windows-1252. */
const SAMPLE_MIN = 3
/** Minimum number of non-ASCII bytes for a sure guess: fewer may fit several character sets. */
const SURE_MIN = 50
/** Minimum confidence (of 100) in a multi-byte character set. */
const MULTIBYTE_MIN = 50
const SINGLE_BYTES = /^(?:windows-|ISO-8859-|KOI8-)/

/**
 * Returns the text of a file. Its encoding is `stated` by the client (a label of the WHATWG
 * Encoding Standard), or detected (docs/file-formats.md#text).
 */
export function decodeFile(bytes: Uint8Array, stated?: string): string {
  return new TextDecoder(stated ?? detectEncoding(bytes)).decode(bytes)
}

/** Returns the encoding of a file, and the reason for it (docs/file-formats.md#text). */
export function encodingOf(bytes: Uint8Array, stated?: string): MadeChoice {
  const value = stated ?? detectEncoding(bytes)
  return {
    choice: 'encoding',
    value,
    reason: stated ? say('CHOICE_STATED') : reasonOf(bytes, value),
  }
}

/** Returns a text for the user: the reason for an encoding, with advice if it may be wrong. */
export function reasonOf(bytes: Uint8Array, encoding: string): string {
  if (encoding === 'utf-8') return say('ENCODING_UNICODE')
  if (utf16Of(bytes) !== null) return say('ENCODING_UNICODE_WIDE')
  if (declaredCharset(bytes) === encoding) return say('ENCODING_DECLARED')
  return say(countNonAscii(bytes, SURE_MIN) < SURE_MIN ? 'ENCODING_UNSURE' : 'ENCODING_GUESSED')
}

/** Returns the encoding of a file as a label of TextDecoder (docs/file-formats.md#text). */
export function detectEncoding(bytes: Uint8Array): string {
  const unicode = utf16Of(bytes)
  if (unicode !== null) return unicode
  const declared = declaredCharset(bytes)
  if (declared !== null && declared !== SINGLE_BYTE && declared !== 'utf-8') return declared
  if (isUtf8(bytes)) return 'utf-8'
  return declared === null ? guessCharset(bytes) : SINGLE_BYTE
}

/** Returns whether a client can state this encoding. */
export function isEncoding(label: string): boolean {
  return labelOf(label) !== null || /^utf-16(?:le|be)?$/i.test(label)
}

/** Guesses the character set of a text from the frequency of its bytes. */
function guessCharset(bytes: Uint8Array): string {
  const first = bytes.findIndex((byte) => byte > 0x7f)
  const start = Math.max(0, bytes.lastIndexOf(0x0a, first))
  const sample = bytes.subarray(start, start + SAMPLE_LENGTH)
  if (isShiftJis(sample)) return 'shift_jis'
  if (countNonAscii(sample, SAMPLE_MIN) < SAMPLE_MIN) return SINGLE_BYTE
  const texts = chardet
    .analyse(sample)
    .filter(({ name, confidence }) => SINGLE_BYTES.test(name) || confidence >= MULTIBYTE_MIN)
    .filter(({ name }) => isText(sample, labelOf(name)))
  const plausible = texts.filter(({ name }) => isPlausible(textOf(sample, labelOf(name))))
  const matches = plausible.length === 0 ? texts : plausible
  const [best] = matches
  // On a tie, a non-western character set wins: the text has letters that western languages lack.
  const equal = matches.filter(({ confidence }) => confidence === best?.confidence)
  const chosen = equal.find(({ name }) => !/^(?:windows-1252|ISO-8859-1)$/.test(name)) ?? best
  const label = labelOf(chosen?.name) ?? SINGLE_BYTE
  // If both character sets decode the sample to the same text, return the usual one.
  return textOf(sample, label) === textOf(sample, SINGLE_BYTE) ? SINGLE_BYTE : label
}

/** Counts non-ASCII bytes, up to `max`. A plain loop: callbacks for millions of bytes are slow. */
function countNonAscii(bytes: Uint8Array, max: number): number {
  let count = 0
  for (let at = 0; at < bytes.length && count < max; at += 1) {
    if ((bytes[at] ?? 0) > 0x7f) count += 1
  }
  return count
}

/** Returns whether the bytes decode to no C1 control and no replacement characters. */
function isText(sample: Uint8Array, label: string | null): boolean {
  return !/[\u0080-\u009f\ufffd]/.test(textOf(sample, label))
}

function textOf(sample: Uint8Array, label: string | null): string {
  // `stream: true` accepts a sample that ends within a character.
  return new TextDecoder(label ?? SINGLE_BYTE).decode(sample, { stream: true })
}

function utf16Of(bytes: Uint8Array): string | null {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  if (first !== 0 && second === 0) return 'utf-16le'
  return first === 0 && second !== 0 ? 'utf-16be' : null
}

/** Returns the character set in the OFX header, XML declaration or HTML head; null without one. */
function declaredCharset(bytes: Uint8Array): string | null {
  const head = new TextDecoder(SINGLE_BYTE).decode(bytes.subarray(0, HEADER_LENGTH_MAX))
  const xml = /<\?xml[^>]*?encoding\s*=\s*["']([\w.:-]+)["']/i.exec(head)?.[1]
  const encoding = /ENCODING\s*:\s*([\w-]+)/i.exec(head)?.[1]
  const charset = /CHARSET\s*:\s*([\w-]+)/i.exec(head)?.[1]
  const html = /<meta\b[^>]*?\bcharset\s*=\s*["']?([\w.:-]+)/i.exec(head)?.[1]
  for (const name of [xml, encoding === 'UTF-8' ? encoding : charset, encoding, html]) {
    const label = labelOf(name)
    if (label !== null) return label
  }
  return null
}

function labelOf(name: string | undefined): string | null {
  if (name === undefined) return null
  for (const label of [name, `windows-${name}`]) {
    try {
      const { encoding } = new TextDecoder(label)
      // A declared UTF-16 is wrong: the declaration itself was decoded from single bytes.
      return encoding.startsWith('utf-16') ? null : encoding
    } catch {
      // TextDecoder throws for an unknown label: try the next one.
    }
  }
  return null
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}
