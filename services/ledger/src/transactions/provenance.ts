import { toMessage } from '@coffer/kit/rpc/message'
import { type FieldProvenance, FieldProvenanceSchema } from '@coffer/proto/ledger/v1/transaction'
import { markedFields, sourceOf } from '../book/field-marks.ts'
import type { ProviderRecord } from '../book/provider-record.ts'
import type { Transaction } from '../book/transaction.ts'

/** Returns whether a transaction has a name that a record of the provider does not state. */
export type IsRenamed = (transaction: Transaction, record: ProviderRecord) => boolean

/** Returns whether a stored transaction has another name than its provider's records. */
export function hasOwnName(
  transaction: Transaction,
  records: readonly ProviderRecord[],
  isRenamed: IsRenamed,
): boolean {
  if (records.length > 0) return records.every((one) => isRenamed(transaction, one))
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
  const isNamed = hasOwnName(transaction, records, isRenamed)
  return markedFields.flatMap((field) => {
    const source = sourceOf(transaction, field, isNamed)
    return source.by === 'provider' ? [] : toMessage(FieldProvenanceSchema, { field, ...source })
  })
}
