import { dictionary } from '@zxcvbn-ts/language-common'

const characters = { min: 8, max: 72 }

// Some 18,000 of them are long enough to be asked about.
const common = new Set(
  dictionary['passwords-common'].filter((password) => password.length >= characters.min),
)

/** What is wrong with a password that is given, or null; its length counts characters. */
export function passwordProblem(password: string): string | null {
  const { length } = [...password]
  const { min, max } = characters
  return length < min || length > max ? `must be ${min} to ${max} characters` : null
}

/**
 * What is wrong with a password that is chosen, or null: besides its length, that everybody who
 * guesses tries it first, in whatever case (OWASP ASVS 5.0, 6.2.4).
 */
export function chosenPasswordProblem(password: string): string | null {
  const isCommon = common.has(password.toLowerCase())
  return passwordProblem(password) ?? (isCommon ? 'is one of the most common passwords' : null)
}
