/** Bounds of JSON that is parsed. A token is an opening bracket, a colon or a comma. */
interface JsonBounds {
  depthMax: number
  tokensMax: number
}

const boundsOfAnswers: JsonBounds = { depthMax: 32, tokensMax: 1_000_000 }

/**
 * Parses JSON of a provider, with numbers as their source text, which avoids rounding; returns the
 * result of `read`. Null if it is invalid or nested deeper than 32 levels; `too-large` above a
 * million tokens. Depth and tokens are counted before parsing, because a thread that runs out of
 * memory ends the whole process.
 */
export function readJson<Content>(
  body: Uint8Array,
  read: (json: unknown) => Content | null,
): Content | null | 'too-large' {
  const excess = findExcess(body, boundsOfAnswers)
  if (excess !== null) return excess === 'tokens' ? 'too-large' : null
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

/**
 * Returns the bound that JSON exceeds, or null. Call it before parsing, because parsers cannot be
 * interrupted, and most are recursive. Stops at the first byte beyond a bound.
 */
export function findExcess(
  body: Uint8Array,
  { depthMax, tokensMax }: JsonBounds,
): 'depth' | 'tokens' | null {
  let depth = 0
  let tokens = 0
  let isText = false
  for (let index = 0; index < body.length; index += 1) {
    const byte = body[index]
    if (isText && byte === backslash) index += 1
    else if (byte === quote) isText = !isText
    else if (!isText && (byte === bracket || byte === brace)) {
      depth += 1
      tokens += 1
      if (depth > depthMax) return 'depth'
      if (tokens > tokensMax) return 'tokens'
    } else if (!isText && (byte === colon || byte === comma)) {
      tokens += 1
      if (tokens > tokensMax) return 'tokens'
    }
    // In ASCII, the code of `]` is that of `[` plus 2, and the code of `}` that of `{` plus 2.
    else if (!isText && (byte === bracket + 2 || byte === brace + 2)) depth -= 1
  }
  return null
}
