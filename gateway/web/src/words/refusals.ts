import { type Known, translate } from './known.ts'
import { textsOf } from './languages/texts.ts'

const texts = textsOf('refusals')

/** Problems of a field. The server writes them for programs. */
const problems: Known[] = [
  [/^(required key is missing|cannot be blank|is required)$/, texts.problems.missing],
  [/^must (be|have) printable characters only/, texts.problems.unprintable],
  [/^must be greater than 0/, texts.problems.notAboveZero],
  [/^must be an? (integer|string|boolean|list|object)/, texts.problems.unreadable],
  [/^must be between -?\d+ and -?\d+$|^must be an integer between/, texts.problems.tooLarge],
  [/^must be a valid email address/, texts.problems.email],
  [/^must be lower case/, texts.problems.upperCase],
  [/^is taken by another .*?: (.*)$/, texts.problems.taken],
  [/^is more than the envelope holds/, texts.problems.tooMuch],
  [/^a deposit cannot be assigned/i, texts.problems.deposit],
  [/^must be another envelope than/, texts.problems.sameEnvelope],
  [/^one of fromSpendingId and toSpendingId is required/, texts.problems.noEnvelope],
  [/^must be an IANA timezone/, texts.problems.timezone],
  [/^must be an ISO 4217 currency code/, texts.problems.currency],
  [/must be in the future$/, texts.problems.past],
  [/has no date left$/, texts.problems.noDate],
  [/^must lie between (.*?) and (.*)/, texts.problems.range],
  [/^must be (a URL|http or https)/, texts.problems.address],
  [/^is not a code of the authenticator/, texts.problems.code],
  [/^was used or is not valid any more/, texts.problems.used],
  [/^must (?:be|have) (\d+) to (\d+) characters$/, texts.problems.length],
  [/^must (?:be|have) at most (\d+) characters$/, texts.problems.tooLong],
  [/^is one of the most common passwords/, texts.problems.common],
  [/a CSV file goes to transactions\/import$/, texts.problems.csv],
  [/^is a CSV file or a sheet, which needs a mapping/, texts.problems.sheet],
  [/^is little more than your name/, texts.problems.personal],
]

/** Refusals of a request as a whole. */
const refusals: Known[] = [
  [/^wrong email or password/, texts.refusals.signIn],
  [/^the current password is wrong/, texts.refusals.password],
  [/^the code is wrong or was used/, texts.refusals.code],
  [/: send currentPassword or totp$/, texts.refusals.askPassword],
  [/^this email address is in use/, texts.refusals.emailTaken],
  [/record does not exist$/, texts.refusals.gone],
  [/^cannot remove funding schedule/, texts.refusals.paydayInUse],
  [/^The rule of the expense has ended/, texts.refusals.ruleEnded],
  [/^A goal has no bills/, texts.refusals.goal],
  [/^a service is not available/, texts.refusals.busy],
  [/^internal error/, texts.refusals.failed],
  [/ look before repeating$/, texts.refusals.unknown],
  [/^the request was not answered in time/, texts.refusals.slow],
  [/^the file is (no longer there|incomplete): upload it again/, texts.refusals.fileGone],
  [/^the file is larger than 6 MiB/, texts.refusals.fileTooLarge],
  [/import (still runs|is still running): undo/, texts.refusals.stillImporting],
  [/so there is nothing to undo$/, texts.refusals.nothingToUndo],
]

/** Hints about a success that may surprise. The server writes them for programs too. */
const hints: Known[] = [
  [/^The envelope paid, but no balance moved/, texts.hints.paidWithoutMoving],
  [/^The envelope got the refund, but no balance moved/, texts.hints.refundedWithoutMoving],
  [/^The deposit is more than transactions took/, texts.hints.refundedInPart],
  [/^The envelope held less than the amount/, texts.hints.paidInPart],
  [/^No balance moved: a PATCH never moves one/, texts.hints.notMoved],
  [/^The transaction has not moved the balances/, texts.hints.corrected],
  [/^The transaction had not moved the balances/, texts.hints.added],
  [/^The balances keep what the transaction took/, texts.hints.kept],
  [/^Not every \w+ has a day (\d+)/, texts.hints.skipped],
]

/** Returns the app's words for a problem of a field; null where it has none. */
export function problemWords(text: string): string | null {
  return translate(problems, text)
}

/** Returns the app's words for a refusal; null where it has none. */
export function refusalWords(text: string): string | null {
  return translate(refusals, text)
}

/** Returns the app's words for a hint, else the server's own as a sentence. */
export function hintWords(text: string): string {
  return translate(hints, text) ?? sentenceOf(text)
}

/** Returns a text of the server as a sentence. */
export function sentenceOf(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`
}

/** Words for an attempt too many, which may be repeated after this many seconds. */
export function tooOftenWords(seconds: number): string {
  return texts.tooOften({ minutes: Math.ceil(seconds / 60) })
}
