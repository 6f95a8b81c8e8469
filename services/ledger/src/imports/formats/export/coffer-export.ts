import { say } from '@coffer/kit/reasons/reasons'
import { currencies } from '@coffer/kit/values/currency'
import { localDay, startOfDay } from '@coffer/kit/values/day'
import { isTimezone } from '@coffer/kit/values/time'
import { z } from 'zod'
import type { FileAccount } from '../file-accounts.ts'
import { placeOf } from '../row-place.ts'
import {
  type FileStatement,
  noBalances,
  type ReadingSettings,
  type SkippedRow,
  type Unreadable,
  unknownCurrency,
} from '../statement.ts'
import { cut, nameRows, namesOf, oneLine, type UnnamedRow } from '../statement-rows.ts'
import { rowsMax, withinYears } from '../statement-values.ts'
import { decodeFile } from '../text/file-text.ts'

const Amount = z.int().transform(BigInt)
const Instant = z.iso.datetime({ offset: true }).transform((text) => new Date(text))

const ExportedAccount = z.object({
  bankAccountId: z.string(),
  name: z.string(),
  currency: z.string(),
  currentBalance: Amount,
  availableBalance: Amount,
  limitBalance: Amount,
  deletedAt: z.string().nullable(),
})
type ExportedAccount = z.infer<typeof ExportedAccount>

const ExportedRow = z.object({
  bankAccountId: z.string(),
  transactionId: z.string(),
  uploadIdentifier: z.string().nullable(),
  amount: Amount,
  date: Instant,
  name: z.string().nullable(),
  originalName: z.string(),
  merchantName: z.string().nullable(),
  originalMerchantName: z.string(),
  isPending: z.boolean(),
  deletedAt: z.string().nullable(),
})
type ExportedRow = z.infer<typeof ExportedRow>

/** The parts of an account's export that an import reads (docs/account-data.md#export). */
const Export = z.object({
  format: z.literal(1),
  exportedAt: Instant,
  me: z.object({ user: z.object({ account: z.object({ timezone: z.string() }) }) }),
  services: z.object({
    ledger: z.object({
      bankAccounts: z.array(ExportedAccount),
      transactions: z.array(ExportedRow).default([]),
    }),
  }),
  complete: z.literal(true),
})

/**
 * Returns the bank accounts of an export by Coffer with their live transactions and balances
 * (docs/file-formats.md#export). If exactly one of them has the ID, else the name, of the import's
 * bank account, returns only that bank account. Returns `Unreadable` for other files.
 */
export function readExportAccounts(
  bytes: Uint8Array,
  settings: ReadingSettings,
): FileAccount[] | Unreadable {
  const parsed = Export.safeParse(parseJson(decodeFile(bytes)))
  if (!parsed.success) return { unreadable: say('EXPORT_CUT') }
  const { ledger } = parsed.data.services
  const { bankAccount, stated } = settings
  const same = ledger.bankAccounts.find((one) => one.bankAccountId === bankAccount?.bankAccountId)
  const live = ledger.bankAccounts.filter(({ deletedAt }) => deletedAt === null)
  const named = live.filter(({ name }) => name === bankAccount?.name)
  const fitting = same === undefined ? named : [same]
  const isStated = stated?.statement !== undefined
  const accounts = fitting.length === 1 && !isStated ? fitting : live
  if (accounts.length === 0) return { unreadable: say('EXPORT_EMPTY') }
  const rows = Map.groupBy(
    ledger.transactions.filter(({ deletedAt }) => deletedAt === null),
    ({ bankAccountId }) => bankAccountId,
  )
  return accounts.map((account) => {
    const own = rows.get(account.bankAccountId) ?? []
    const { name: number, currency } = account
    const read = () => readAccount(parsed.data, { account, rows: own, settings })
    return { number, kind: null, currency, rowCount: own.length, read }
  })
}

function readAccount(
  { exportedAt, me }: z.infer<typeof Export>,
  of: { account: ExportedAccount; rows: readonly ExportedRow[]; settings: ReadingSettings },
): FileStatement | Unreadable {
  const { account, settings } = of
  if (!currencies().includes(account.currency)) return unknownCurrency
  if (of.rows.length > rowsMax) {
    return { unreadable: say('FILE_ROWS', { max: rowsMax }) }
  }
  const { timezone } = me.user.account
  const zones = {
    from: isTimezone(timezone) ? timezone : settings.timezone,
    to: settings.timezone,
  }
  const isSame = account.bankAccountId === settings.bankAccount?.bankAccountId
  const rows = of.rows
    .toReversed()
    .toSorted((one, other) => other.date.getTime() - one.date.getTime())
    .map((row) => ({
      ...readRow(row, { zones, isSame }),
      place: () => placeOf(undefined, `${row.name ?? row.originalName} ${row.amount}`),
    }))
  return {
    currency: account.currency,
    balances: {
      ...noBalances,
      current: account.currentBalance,
      available: account.availableBalance,
      limit: account.limitBalance,
      asOf: withinYears(exportedAt),
    },
    ...nameRows(rows),
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The text is no JSON, or nested too deeply for the parser.
    return null
  }
}

/**
 * Returns the row of an exported transaction, or why it is skipped. With `isSame`, the export is
 * imported into the bank account from which it was made: transactions that came from no file are
 * skipped, because no identifier tells that they are stored already.
 */
function readRow(
  exported: ExportedRow,
  { zones, isSame }: { zones: { from: string; to: string }; isSame: boolean },
): UnnamedRow | SkippedRow {
  const { uploadIdentifier, amount, isPending } = exported
  const identifier = oneLine(exported.transactionId)
  if (isPending) return { identifier, reason: 'pending' }
  if (amount === 0n) return { identifier, reason: 'zero' }
  if (isSame && uploadIdentifier === null) return { identifier, reason: 'duplicate' }
  const day = localDay(exported.date.getTime(), zones.from)
  const date = withinYears(new Date(startOfDay(day, zones.to)))
  if (date === null) return { identifier, reason: 'date' }
  const { name, merchantName, originalName, originalMerchantName } = exported
  const names = namesOf({
    name: name || merchantName || originalMerchantName,
    memo: originalName,
    description: 'Transaction',
  })
  const merchant = cut(oneLine(originalMerchantName), 300) || names.originalMerchantName
  return {
    identifier: oneLine(uploadIdentifier ?? '') || identifier,
    content: `${amount} ${identifier}`,
    row: { amount, date, ...names, originalMerchantName: merchant, isPending },
  }
}
