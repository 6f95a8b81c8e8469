import type { Database } from '@coffer/kit/database/database'
import { say } from '@coffer/kit/reasons/reasons'
import { invalid } from '@coffer/kit/rpc/errors'
import { listBankAccounts } from '../../accounts/bank-account.sql.ts'
import type { BankAccount } from '../../book/bank-account.ts'
import type { ListedStatement } from '../formats/statement.ts'
import type { Readers } from '../formats/statement-pool.client.ts'
import {
  type Mapping,
  otherCurrencies,
  requireCurrencies,
  requireMappings,
  type UploadGroup,
} from './upload-group.ts'

/** A file of several accounts, with the settings to list its accounts. */
export type ListedFile = Pick<UploadGroup, 'accountId' | 'format' | 'choices'> & {
  bytes: Uint8Array
  timezone: string
}

/**
 * Returns the accounts of a file, and validates the mappings of a request
 * (docs/files.md#all-accounts). A statement without a currency takes that of the mapped bank
 * account. Throws `invalid` for an unreadable file or a wrong mapping.
 */
export async function readMapped(
  { database, readers }: { database: Database; readers: Readers },
  file: ListedFile,
  { mappings, listed }: { mappings: readonly Mapping[]; listed?: ListedStatement[] },
): Promise<ListedStatement[]> {
  const bankAccounts = await listBankAccounts(database, file.accountId)
  const statements = listed ?? (await list(readers, file, currencyOf(mappings, bankAccounts)))
  requireMappings(mappings, { statements, bankAccounts })
  let faults = otherCurrencies(mappings, { statements, bankAccounts })
  // A statement without a currency was listed with that of one bank account. Listing it again with
  // the currency of its own bank account tells it apart from a real mismatch.
  for (const own of new Set(faults.map((one) => one.own))) {
    const again = await list(readers, file, own)
    const left = otherCurrencies(mappings, { statements: again, bankAccounts })
    faults = faults.filter(
      (one) => one.own !== own || left.some(({ index }) => index === one.index),
    )
  }
  requireCurrencies(faults)
  return statements
}

/** Returns the currency of the first mapped bank account, else of the first in the list. */
function currencyOf(mappings: readonly Mapping[], bankAccounts: readonly BankAccount[]): string {
  const mapped = bankAccounts.find((one) => one.bankAccountId === mappings[0]?.bankAccountId)
  return (mapped ?? bankAccounts[0])?.currency ?? 'USD'
}

async function list(readers: Readers, file: ListedFile, currency: string) {
  const { accountId, format, bytes, timezone, choices } = file
  if (format === 'csv') throw invalid({ data: say('FILE_OF_ONE_ACCOUNT') })
  const settings = { currency, timezone, stated: { ...choices, statement: undefined } }
  const read = await readers.list(accountId, { bytes, settings, kind: format })
  if ('unreadable' in read) throw invalid({ data: read.unreadable })
  return read.statements
}
