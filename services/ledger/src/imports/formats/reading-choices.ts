import { create } from '@bufbuild/protobuf'
import { say } from '@coffer/kit/reasons/reasons'
import { invalid } from '@coffer/kit/rpc/errors'
import { patchOf } from '@coffer/kit/rpc/message'
import { isDayFormat } from '@coffer/kit/values/mapping-rules'
import type { UpdateImportRequest } from '@coffer/proto/ledger/v1/import'
import { ReadingChoicesSchema } from '@coffer/proto/ledger/v1/upload'
import { values } from '@coffer/proto/values'
import { z } from 'zod'
import { isEncoding } from './text/file-text.ts'

/** Choices of a client for the parser of a file (docs/files.md#choices). */
export const ReadingChoices = z.object({
  delimiter: z.enum(values['ReadingChoices.delimiter']).optional(),
  encoding: z.string().optional(),
  headerRow: z.number().optional(),
  dateFormat: z.string().optional(),
  decimalMark: z.enum(values['ReadingChoices.decimalMark']).optional(),
  dayFirst: z.boolean().optional(),
  minusReverses: z.boolean().optional(),
  statement: z.string().optional(),
  sheet: z.string().optional(),
})
export type ReadingChoices = z.infer<typeof ReadingChoices>

const headerRowMax = 1000

/** Returns the choices that a request sets. Throws `invalid` for bad values. */
export function requireChoices(message: object | undefined): ReadingChoices {
  const choices = ReadingChoices.parse(message ?? {})
  const { encoding, headerRow = 0, dateFormat } = choices
  const problems = {
    encoding: encoding === undefined || isEncoding(encoding) || say('ENCODING'),
    headerRow:
      (headerRow >= 0 && headerRow <= headerRowMax) ||
      say('BETWEEN', { min: 0, max: headerRowMax }),
    dateFormat: dateFormat === undefined || isDayFormat(dateFormat) || say('DATE_FORMAT'),
  }
  const found = Object.entries(problems).filter(([, problem]) => problem !== true)
  if (found.length > 0) throw invalid(Object.fromEntries(found) as Record<string, string>)
  return choices
}

/**
 * Merges the choices of a request into the stored ones. A choice in the mask without a value is
 * removed, so that it is detected again. Throws `invalid` for bad values.
 */
export function changedChoices(
  stored: ReadingChoices | null,
  { choices, choicesMask: updateMask }: Pick<UpdateImportRequest, 'choices' | 'choicesMask'>,
): ReadingChoices {
  const sent = choices ?? create(ReadingChoicesSchema)
  const patch = patchOf(ReadingChoicesSchema, updateMask ? { ...sent, updateMask } : sent)
  const kept = Object.entries(stored ?? {}).filter(([name]) => patch[name] !== null)
  return { ...Object.fromEntries(kept), ...requireChoices(sent) }
}
