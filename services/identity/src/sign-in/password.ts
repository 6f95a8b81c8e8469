import { say } from '@coffer/kit/reasons/reasons'

const characters = { min: 8, max: 72 }

// Context words: a password must not consist of the product's name (docs/security.md#passwords).
const ownWords = ['coffer']

// Minimum length of a context word, because shorter words occur in passwords by chance.
const wordCharactersMin = 3

/** Returns the problem of a password at sign-in, or null. Its length is counted in code points. */
export function findPasswordProblem(password: string): string | null {
  const { length } = [...password]
  const { min, max } = characters
  return length < min || length > max ? say('PASSWORD_LENGTH', { min, max }) : null
}

/**
 * Returns the problem of a new password: a wrong length, a common password (OWASP ASVS 5.0, 6.2.4)
 * or context words (6.2.11). Returns null without a problem. `known` are texts that an attacker
 * knows.
 */
export async function findChosenPasswordProblem(
  password: string,
  known: readonly string[],
): Promise<string | null> {
  const problem = findPasswordProblem(password)
  if (problem) return problem
  const text = password.toLowerCase()
  if (await isCommon(text)) return say('PASSWORD_COMMON')
  return isLittleMore(text, [...ownWords, ...wordsOf(known)]) ? say('PASSWORD_PERSONAL') : null
}

/**
 * Returns whether the text is one of about 18,000 common passwords. Their list, which holds 3 MiB,
 * is loaded when a password is chosen for the first time.
 */
async function isCommon(text: string): Promise<boolean> {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  return dictionary['passwords-common'].includes(text)
}

function wordsOf(texts: readonly string[]): string[] {
  const words = texts.flatMap((text) => text.toLowerCase().split(/[^\p{L}\p{N}]+/u))
  return words.filter((word) => [...word].length >= wordCharactersMin)
}

/** Returns whether the text contains one of the words, and no letter outside of these words. */
function isLittleMore(text: string, words: readonly string[]): boolean {
  const longestFirst = [...new Set(words)].sort((a, b) => b.length - a.length)
  const rest = text.replaceAll(new RegExp(longestFirst.join('|'), 'gu'), '')
  return rest !== text && !/\p{L}/u.test(rest)
}
