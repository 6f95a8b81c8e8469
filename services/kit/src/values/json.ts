const depthMax = 32
const tokensMax = 1_000_000

/**
 * Parses JSON of a provider, with numbers as their source text, which avoids rounding; returns what
 * `read` makes of it. Null if it is invalid or nested deeper than 32 levels; `too-large` above a
 * million tokens. Both are counted first: parsers recurse, and a thread that runs out of memory
 * ends its process.
 */
export function readJson<Content>(
  body: Uint8Array,
  read: (json: unknown) => Content | null,
): Content | null | 'too-large' {
  const { depth, tokens } = measure(body)
  if (depth > depthMax) return null
  if (tokens > tokensMax) return 'too-large'
  return read(parse(new TextDecoder().decode(body)))
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text, keepSource)
  } catch {
    return null
  }
}

function keepSource(_key: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === 'number' ? context?.source : value
}

const [quote, backslash, colon, comma] = [0x22, 0x5c, 0x3a, 0x2c]
const [bracket, brace] = [0x5b, 0x7b]

/** Returns the depth of JSON, and its number of opening brackets, colons and commas. */
function measure(body: Uint8Array): { depth: number; tokens: number } {
  const found = { depth: 0, tokens: 0 }
  let level = 0
  let isText = false
  for (let index = 0; index < body.length; index += 1) {
    const byte = body[index]
    if (isText && byte === backslash) index += 1
    else if (byte === quote) isText = !isText
    else if (!isText && (byte === bracket || byte === brace)) {
      level += 1
      found.tokens += 1
      found.depth = Math.max(found.depth, level)
    } else if (!isText && (byte === colon || byte === comma)) found.tokens += 1
    // A closing bracket follows its opening one by two code points.
    else if (!isText && (byte === bracket + 2 || byte === brace + 2)) level -= 1
  }
  return found
}
