import type { Balances, GetConfigResponse, Spending } from '@coffer/client/types'
import { decimalPlaces } from '@coffer/kit/values/currency'
import type { Saved } from './person.ts'

type ShownBalances = Omit<Balances, 'bankAccountId' | 'limit' | 'isCredit'>
type ShownSpending = Pick<
  Spending,
  | 'name'
  | 'currentAmount'
  | 'targetAmount'
  | 'nextRecurrence'
  | 'nextContributionAmount'
  | 'isBehind'
>
type Offered = Pick<
  GetConfigResponse,
  'allowSignUp' | 'uploadsEnabled' | 'verifyEmailAddress' | 'requireBetaCode' | 'proofOfWorkEnabled'
>

/** Returns a text with balances, a table of envelopes, and the names of those behind schedule. */
export function summaryText(options: {
  balances: ShownBalances
  spending: ShownSpending[]
  timezone: string
}): string {
  const { balances, spending, timezone } = options
  const money = moneyFormat(balances.currency)
  const day = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: timezone })
  const rows = spending.map((one) => [
    one.name,
    money(one.currentAmount),
    `of ${money(one.targetAmount)}`,
    `by ${day.format(new Date(one.nextRecurrence))}`,
    `next ${money(one.nextContributionAmount)}`,
    one.isBehind ? 'BEHIND' : '',
  ])
  const behind = spending.filter(({ isBehind }) => isBehind).map(({ name }) => name)
  return [
    `Available      ${money(balances.available)}   (current ${money(balances.current)})`,
    `In expenses    ${money(balances.expenses)}`,
    `In goals       ${money(balances.goals)}`,
    `Free to use    ${money(balances.free)}`,
    '',
    ...aligned(rows),
    '',
    behind.length === 0
      ? 'Nothing is behind.'
      : `Behind, because no pay comes before the due date: ${behind.join(', ')}.`,
  ].join('\n')
}

/** Formats minor units as an amount of the currency. */
function moneyFormat(currency: string): (minorUnits: number) => string {
  const format = new Intl.NumberFormat('en-US', { style: 'currency', currency })
  const divisor = 10 ** decimalPlaces(currency)
  return (minorUnits) => format.format(minorUnits / divisor)
}

function aligned(rows: string[][]): string[] {
  const widths = rows.reduce<number[]>(
    (widest, row) => row.map((cell, column) => Math.max(widest[column] ?? 0, cell.length)),
    [],
  )
  return rows.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  )
}

/**
 * Returns one line with the settings (`NAME=value`) that a server lacks for loading the demo; null
 * if none. `whenNew`: the login is not registered yet, so sign-up must be allowed.
 */
export function missingForDemo(offered: Offered, { whenNew }: { whenNew: boolean }): string | null {
  const { allowSignUp, verifyEmailAddress, requireBetaCode, proofOfWorkEnabled } = offered
  const missing = [
    ...(offered.uploadsEnabled ? [] : ['COFFER_UPLOADS_ENABLED=true']),
    ...(whenNew && !allowSignUp ? ['COFFER_ALLOW_SIGN_UP=true'] : []),
    ...(whenNew && verifyEmailAddress ? ['COFFER_EMAIL_VERIFICATION_ENABLED=false'] : []),
    ...(whenNew && requireBetaCode ? ['COFFER_BETA_CODES_ENABLED=false'] : []),
    ...(proofOfWorkEnabled ? ['COFFER_PROOF_OF_WORK_ENABLED=false'] : []),
  ]
  return missing.length === 0 ? null : `The demo needs ${missing.join(' and ')}.`
}

/** Returns the addresses of the server and of its reference page. */
export function addressText(baseUrl: string): string {
  return [`Coffer is at     ${baseUrl}`, `API reference    ${baseUrl}/api/reference`].join('\n')
}

/** Returns the instruction for an operator to set a new password of a login. */
export function setPasswordText(email: string): string {
  return `A new one is set by: npm run coffer -- login:reset-password --email ${email}`
}

/**
 * Returns the credentials of the demo, and lines to paste into a shell. `password` is null if it
 * was changed since it was saved.
 */
export function welcomeText(
  baseUrl: string,
  { email, password, key, bankAccountId }: Omit<Saved, 'password'> & { password: string | null },
): string {
  const credential = key === undefined ? `${email}:${password}` : `${key.apiKeyId}:${key.secret}`
  const curl = (path: string) => `  curl -u ${credential} '${baseUrl}/api${path}'`
  return [
    addressText(baseUrl),
    `Demo login       ${email}   password: ${password ?? `changed. ${setPasswordText(email)}`}`,
    '',
    'An API key (its ID and secret) and a bank account, for the tour in the README:',
    `  KEY=${credential}`,
    `  BANK=${bankAccountId}`,
    '',
    curl('/links'),
    curl(`/bank_accounts/${bankAccountId}/balances`),
    curl(`/bank_accounts/${bankAccountId}/transactions?limit=5`),
  ].join('\n')
}
