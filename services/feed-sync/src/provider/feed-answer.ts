import {
  type OfferedAccount,
  type OfferedList,
  type OfferedTransaction,
  readAccounts,
  readBalance,
  readJson,
  readTransactions,
  type StatedBalance,
} from './lunch-flow.ts'

/** Contents of the provider's answers, by kind. */
export interface FeedAnswers {
  accounts: OfferedList<OfferedAccount>
  balance: StatedBalance
  transactions: OfferedList<OfferedTransaction>
}

export type AnswerKind = keyof FeedAnswers

/** Parses bodies of answers; see `readAnswer`. `too-large` also means too much time. */
export type AnswerParser = <Kind extends AnswerKind>(
  body: Uint8Array,
  kind: Kind,
  signal: AbortSignal,
) => Promise<FeedAnswers[Kind] | null | 'too-large'>

const depthMax = 32
const tokensMax = 1_000_000

const readers: { [Kind in AnswerKind]: (answer: unknown) => FeedAnswers[Kind] | null } = {
  accounts: readAccounts,
  balance: readBalance,
  transactions: readTransactions,
}

/**
 * Returns the content of an answer; null if it is not JSON of this kind, or is nested deeper than
 * 32 levels; `too-large` above a million tokens, about 55,000 transactions. Both are counted first:
 * parsers recurse, and a thread that runs out of memory ends its process.
 */
export function readAnswer<Kind extends AnswerKind>(
  body: Uint8Array,
  kind: Kind,
): FeedAnswers[Kind] | null | 'too-large' {
  const { depth, tokens } = measure(body)
  if (depth > depthMax) return null
  if (tokens > tokensMax) return 'too-large'
  return readers[kind](readJson(new TextDecoder().decode(body)))
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
