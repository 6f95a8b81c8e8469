import { z } from 'zod'
import { texts } from './bodies/fields.ts'
import { type ProblemTree, problemsOfIssues, problemTree } from './errors/problems.ts'

/** Why one item of a list is not done: what a request of its own would have been answered. */
export type Refused = { error: string; problems?: ProblemTree }

/** An item of a list of which each is judged by itself. */
export type Judged<Item> = { item: Item } | { refused: Refused }

/** A list of which every item is read by itself: a bad one does not spoil the others. */
export function judgedList<Schema extends z.ZodObject>(schema: Schema, sizeMax: number) {
  const size = `must have 1 to ${sizeMax} items`
  const item = z
    .unknown()
    .transform((sent) => judge(schema, sent))
    .meta(shapeOf(schema))
  return z
    .array(item, { error: ({ input }) => (input === undefined ? texts.missing : 'must be a list') })
    .min(1, size)
    .max(sizeMax, size)
}

function judge<Schema extends z.ZodObject>(
  schema: Schema,
  sent: unknown,
): Judged<z.output<Schema>> {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) {
    return { refused: { error: 'must be an object' } }
  }
  const { data, error } = schema.safeParse(sent)
  if (data) return { item: data }
  const problems = problemTree(problemsOfIssues(error?.issues ?? []))
  return { refused: { error: 'Invalid request', problems } }
}

function shapeOf(schema: z.ZodObject): Record<string, unknown> {
  const { $schema: _, ...shape } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  return shape
}
