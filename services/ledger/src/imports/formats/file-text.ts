const SINGLE_BYTE = 'windows-1252'
const HEADER_LENGTH_MAX = 1024

/**
 * Returns the text of a file (docs/file-formats.md#text). The encoding is found in this order:
 * byte order mark, NUL bytes (UTF-16), valid UTF-8, the character set in the header,
 * Windows-1252. UTF-8 precedes the header because many banks declare 1252 and send UTF-8.
 * Accented text in a single-byte set is practically never valid UTF-8.
 */
export function decodeFile(bytes: Uint8Array): string {
  const unicode = utf16Of(bytes)
  if (unicode !== null) return new TextDecoder(unicode).decode(bytes)
  const declared = declaredCharset(bytes)
  if (declared === SINGLE_BYTE || declared === 'utf-8') {
    return decodeStrictly(bytes) ?? new TextDecoder(SINGLE_BYTE).decode(bytes)
  }
  return new TextDecoder(declared).decode(bytes)
}

function utf16Of(bytes: Uint8Array): string | null {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  if (first !== 0 && second === 0) return 'utf-16le'
  return first === 0 && second !== 0 ? 'utf-16be' : null
}

/**
 * Returns the character set of `CHARSET:` or `ENCODING:` (OFX 1) or `encoding=` (XML), as a label
 * of the Encoding standard.
 */
function declaredCharset(bytes: Uint8Array): string {
  const head = new TextDecoder(SINGLE_BYTE).decode(bytes.subarray(0, HEADER_LENGTH_MAX))
  const xml = /<\?xml[^>]*?encoding\s*=\s*["']([\w.:-]+)["']/i.exec(head)?.[1]
  const encoding = /ENCODING\s*:\s*([\w-]+)/i.exec(head)?.[1]
  const charset = /CHARSET\s*:\s*([\w-]+)/i.exec(head)?.[1]
  for (const name of [xml, encoding === 'UTF-8' ? encoding : charset, encoding]) {
    const label = labelOf(name)
    if (label !== null) return label
  }
  return SINGLE_BYTE
}

function labelOf(name: string | undefined): string | null {
  if (name === undefined) return null
  for (const label of [name, `windows-${name}`]) {
    try {
      const { encoding } = new TextDecoder(label)
      // Not UTF-16: NUL bytes would have shown it before.
      return encoding.startsWith('utf-16') ? null : encoding
    } catch {
      // The runtime does not support this character set.
    }
  }
  return null
}

function decodeStrictly(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}
