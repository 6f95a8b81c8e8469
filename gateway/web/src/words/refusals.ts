/** A text of the server, and the words of the app in its place; `$1` is the first group. */
type Translation = readonly [server: RegExp, text: string]

/** Problems of a field. The server writes them for programs. */
const problems: Translation[] = [
  [/^(required key is missing|cannot be blank|is required)$/, 'Fill this in.'],
  [/^must (be|have) printable characters only/, 'Remove the characters that cannot be shown.'],
  [/^must be greater than 0/, 'Enter an amount above zero.'],
  [/^must be an? (integer|string|boolean|list|object)/, 'This entry cannot be read.'],
  [/^must be between -?\d+ and -?\d+$|^must be an integer between/, 'The amount is too large.'],
  [/^must be a valid email address/, 'This is not an email address.'],
  [/^must be lower case/, 'Write it in small letters.'],
  [/^is taken by another .*?: (.*)$/, 'This name is in use: $1.'],
  [/^is more than the envelope holds/, 'The envelope does not hold that much.'],
  [
    /^a deposit cannot be assigned/i,
    'It came in, and no envelope pays for it: its page says of which envelope it is a refund.',
  ],
  [/^must be another envelope than/, 'Choose two different envelopes.'],
  [/^one of fromSpendingId and toSpendingId is required/, 'Choose an envelope on one side.'],
  [/^must be an IANA timezone/, 'Choose a timezone of the list.'],
  [/^must be an ISO 4217 currency code/, 'Choose a currency of the list.'],
  [/must be in the future$/, 'Choose a day that is not past.'],
  [/has no date left$/, 'No day is left for it: choose a later one.'],
  [/^must lie between (.*)/, 'The day must lie between $1.'],
  [/^must be (a URL|http or https)/, 'Enter an address that begins with https://.'],
  [/^is not a code of the authenticator/, 'This is not the present code of the authenticator app.'],
  [/^was used or is not valid any more/, 'It was used, or is not valid any more.'],
  [/^must (?:be|have) (\d+ to \d+|at most \d+) characters$/, 'Use $1 characters.'],
  [/^is one of the most common passwords/, 'It is one of the most common passwords.'],
  [/a CSV file goes to transactions\/import$/, 'This is no file of a bank that can be read here.'],
  [
    /^is a CSV file or a sheet, which needs a mapping/,
    'This is a table: give its file a name that ends in .csv, .xlsx or .ods.',
  ],
  [/^is little more than your name/, 'It is little more than your name or your address.'],
]

/** Refusals of a request as a whole. */
const refusals: Translation[] = [
  [/^wrong email or password/, 'The email address or the password is wrong.'],
  [/^the current password is wrong/, 'The password is wrong.'],
  [
    /^the code is wrong or was used/,
    'The code is wrong or was used before: wait for the next one.',
  ],
  [/: send currentPassword or totp$/, 'Enter your password to go on.'],
  [/^this email address is in use/, 'There is an account with this email address: sign in.'],
  [/record does not exist$/, 'This is no longer there: it may have been removed meanwhile.'],
  [
    /^cannot remove funding schedule/,
    'Envelopes are filled by it: choose another payday for them.',
  ],
  [/^The rule of the expense has ended/, 'Its rule has ended: change when the envelope is due.'],
  [/^A goal has no bills/, 'A goal has no bills: change its day or its amount.'],
  [/^a service is not available/, 'The server is busy or has just started. Try again in a moment.'],
  [/^internal error/, 'The server has failed. The fault is ours, not yours.'],
  [/ look before repeating$/, 'No answer came, but it may be done: look before you repeat it.'],
  [/^the request was not answered in time/, 'The server took too long to answer. Try again.'],
]

/** Returns the app's words for a problem of a field; null where it has none. */
export function problemWords(text: string): string | null {
  return translate(problems, text)
}

/** Returns the app's words for a refusal; null where it has none. */
export function refusalWords(text: string): string | null {
  return translate(refusals, text)
}

/** Words for an attempt too many, which may be repeated after this many seconds. */
export function tooOftenWords(seconds: number): string {
  const minutes = Math.ceil(seconds / 60)
  const wait = minutes === 1 ? 'a minute' : `${minutes} minutes`
  return `Too many attempts. Try again in ${wait}.`
}

function translate(known: Translation[], text: string): string | null {
  const found = known.find(([server]) => server.test(text))
  if (found === undefined) return null
  const [first = '', ...groups] = found[0].exec(text) ?? []
  return found[1].replace('$1', () => groups[0] ?? first)
}
