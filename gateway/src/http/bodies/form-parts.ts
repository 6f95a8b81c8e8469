import { invalid } from '@coffer/kit/rpc/errors'
import type { z } from 'zod'
import { object } from '../fields/fields.ts'
import { readFields } from './body.ts'
import type { Form } from './form.ts'

/**
 * Parses a part of a form that contains a JSON list; empty if the part is missing. Throws invalid
 * for other texts, and the errors of `readBody`.
 */
export function parseList<Entry>(
  { readPart }: Form,
  name: string,
  schema: z.ZodType<Entry[]>,
): Entry[] {
  const parsed = jsonOf(readPart(name) ?? '[]')
  if (!Array.isArray(parsed)) throw invalid({ [name]: 'must be a list of objects in JSON' })
  return readFields(object({ [name]: schema }), { [name]: parsed })[name] as Entry[]
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
