import { say } from '@coffer/kit/reasons/reasons'
import { z } from 'zod'
import { bodyHints } from '../errors/body-hints.ts'
import { type ProblemTree, problemsOfIssues, problemTree } from '../errors/problems.ts'
import { reasonMembers } from '../errors/reason-members.ts'
import { texts } from '../fields/fields.ts'

/** The refusal of one item, with the keys that the answer to a single request would have. */
export type RefusedItem = { error: string; problems?: ProblemTree; hints?: string[] }

/** A parsed item of a bulk request, or its refusal. */
export type BulkItem<Item> = { item: Item } | { refused: RefusedItem }

/**
 * Returns the schema of a list with 1 to `sizeMax` items (docs/api.md#bulk-requests). Each item is
 * validated by itself, so a bad item does not fail the request. A list that is too long is refused
 * before its items are validated.
 */
export function bulkItems<Schema extends z.ZodObject>(schema: Schema, sizeMax: number) {
  const size = say('ITEM_COUNT', { min: 1, max: sizeMax })
  const item = z.unknown().meta(shapeOf(schema))
  return z
    .array(item, { error: ({ input }) => (input === undefined ? texts.missing : say('NOT_LIST')) })
    .min(1, size)
    .max(sizeMax, size)
    .transform((items) => items.map((sent) => validate(schema, sent)))
}

function validate<Schema extends z.ZodObject>(
  schema: Schema,
  sent: unknown,
): BulkItem<z.output<Schema>> {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) {
    return { refused: refusedItem({ error: say('NOT_OBJECT') }) }
  }
  const { data, error } = schema.safeParse(sent)
  if (data) return { item: data }
  const problems = problemTree(problemsOfIssues(error?.issues ?? []))
  const hints = bodyHints({ problems, body: sent, schema })
  const refusal = { error: say('INVALID_REQUEST'), problems }
  return { refused: refusedItem(hints.length > 0 ? { ...refusal, hints } : refusal) }
}

function refusedItem(refusal: RefusedItem): RefusedItem {
  return { ...refusal, ...reasonMembers(refusal) }
}

function shapeOf(schema: z.ZodObject): Record<string, unknown> {
  const { $schema: _, ...shape } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  return shape
}
