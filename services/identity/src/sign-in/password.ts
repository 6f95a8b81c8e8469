import { dictionary } from '@zxcvbn-ts/language-common'

const characters = { min: 8, max: 72 }

// Some 18,000 of them are long enough to be asked about.
const common = new Set(
  dictionary['passwords-common'].filter((password) => password.length >= characters.min),
)

// The name of this service (docs/security.md, Passwords).
const ownWords = ['coffer']

// Shorter ones say too little of somebody to be looked for.
const wordCharactersMin = 3

/** What is wrong with a password that is given, or null; its length counts characters. */
export function findPasswordProblem(password: string): string | null {
  const { length } = [...password]
  const { min, max } = characters
  return length < min || length > max ? `must be ${min} to ${max} characters` : null
}

/**
 * What is wrong with a password that is chosen, or null: besides its length, that everybody who
 * guesses tries it first, in whatever case, or that whoever knows the person and the server would
 * (OWASP ASVS 5.0, 6.2.4 and 6.2.11). `known` is what they know: names, address, host.
 */
export function findChosenPasswordProblem(
  password: string,
  known: readonly string[],
): string | null {
  const problem = findPasswordProblem(password)
  if (problem) return problem
  const text = password.toLowerCase()
  if (common.has(text)) return 'is one of the most common passwords'
  return isLittleMore(text, [...ownWords, ...wordsOf(known)])
    ? 'is little more than your name, your address or the name of this service'
    : null
}

function wordsOf(texts: readonly string[]): string[] {
  const words = texts.flatMap((text) => text.toLowerCase().split(/[^\p{L}\p{N}]+/u))
  return words.filter((word) => [...word].length >= wordCharactersMin)
}

/** Whether it has some of these words, and no letter of anything else. */
function isLittleMore(text: string, words: readonly string[]): boolean {
  const longestFirst = [...new Set(words)].sort((a, b) => b.length - a.length)
  const rest = text.replaceAll(new RegExp(longestFirst.join('|'), 'gu'), '')
  return rest !== text && !/\p{L}/u.test(rest)
}
