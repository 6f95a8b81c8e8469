import { toMessage } from '@coffer/kit/rpc/message'
import { type FieldProvenance, FieldProvenanceSchema } from '@coffer/proto/ledger/v1/transaction'
import { markedFields, sourceOf } from '../book/field-marks.ts'
import type { ProviderRecord } from '../book/provider-record.ts'
import type { Transaction } from '../book/transaction.ts'
import { lastRecord } from '../records/transaction-records.ts'

/** Returns whether the name of a transaction is none that the provider has stated. */
export type IsRenamed = (transaction: Transaction, last: ProviderRecord) => boolean

/** Returns whether the name of a stored transaction with these records is not its provider's. */
export function hasOwnName(
  transaction: Transaction,
  records: readonly ProviderRecord[],
  isRenamed: IsRenamed,
): boolean {
  const last = lastRecord({ records })
  if (last) return isRenamed(transaction, last)
  const { name, originalName, originalMerchantName } = transaction
  return name !== originalName && name !== originalMerchantName
}

/**
 * Returns the provenance of fields that are not the provider's (docs/rules/rules.md#provenance);
 * `records` are those of the transaction, and `isRenamed` compares its name with one of them.
 */
export function renderProvenance(
  transaction: Transaction,
  records: readonly ProviderRecord[],
  isRenamed: IsRenamed,
): FieldProvenance[] {
  const last = lastRecord({ records })
  return markedFields.flatMap((field) => {
    const source = last
      ? sourceOf(transaction, field, isRenamed(transaction, last))
      : sourceOf(transaction, field)
    return source.by === 'provider' ? [] : toMessage(FieldProvenanceSchema, { field, ...source })
  })
}
