const SINGLE_BYTE = 'windows-1252'
const HEADER_LENGTH_MAX = 1024

/** Returns the text of a file, whose encoding is detected (docs/file-formats.md#text). */
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

/** Returns the character set that an OFX header or XML declaration names, else `windows-1252`. */
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
      // A declared UTF-16 is wrong: the declaration itself has single-byte characters.
      return encoding.startsWith('utf-16') ? null : encoding
    } catch {
      // TextDecoder throws for a label that it does not know: try the next one.
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
