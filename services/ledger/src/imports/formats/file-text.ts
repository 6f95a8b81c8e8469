const SINGLE_BYTE = 'windows-1252'
const HEADER_LENGTH_MAX = 1024

/**
 * The text of an OFX file. A byte order mark decides, then NUL bytes (UTF-16), then whether it
 * reads as UTF-8, then the character set that the header names; Windows-1252 when none is known.
 * UTF-8 comes before the header because many banks declare 1252 and send UTF-8, while text in a
 * single-byte set with accents practically never reads as UTF-8.
 */
export function decodeFile(bytes: Uint8Array): string {
  const unicode = utf16Of(bytes)
  if (unicode !== null) {
    return new TextDecoder(unicode).decode(bytes)
  }
  const declared = declaredCharset(bytes)
  if (declared === SINGLE_BYTE || declared === 'utf-8') {
    return decodeStrictly(bytes) ?? new TextDecoder(SINGLE_BYTE).decode(bytes)
  }
  return new TextDecoder(declared).decode(bytes)
}

function utf16Of(bytes: Uint8Array): string | null {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) {
    return 'utf-16le'
  }
  if (first === 0xfe && second === 0xff) {
    return 'utf-16be'
  }
  if (first !== 0 && second === 0) {
    return 'utf-16le'
  }
  return first === 0 && second !== 0 ? 'utf-16be' : null
}

/** The charset of `CHARSET:` or `ENCODING:` (OFX 1) or of `encoding=` (XML), as a known label. */
function declaredCharset(bytes: Uint8Array): string {
  const head = new TextDecoder(SINGLE_BYTE).decode(bytes.subarray(0, HEADER_LENGTH_MAX))
  const xml = /<\?xml[^>]*?encoding\s*=\s*["']([\w.:-]+)["']/i.exec(head)?.[1]
  const encoding = /ENCODING\s*:\s*([\w-]+)/i.exec(head)?.[1]
  const charset = /CHARSET\s*:\s*([\w-]+)/i.exec(head)?.[1]
  for (const name of [xml, encoding === 'UTF-8' ? encoding : charset, encoding]) {
    const label = labelOf(name)
    if (label !== null) {
      return label
    }
  }
  return SINGLE_BYTE
}

function labelOf(name: string | undefined): string | null {
  if (name === undefined) {
    return null
  }
  for (const label of [name, `windows-${name}`]) {
    try {
      const { encoding } = new TextDecoder(label)
      // It is not UTF-16: that has been looked for.
      return encoding.startsWith('utf-16') ? null : encoding
    } catch {
      // Not a name that the runtime knows.
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
