import type { z } from 'zod'

/** The schema of a joined entity's fields: prefixed, and all null where nothing was joined. */
export function nullable<Shape extends z.ZodRawShape>(shape: Shape, prefix: string): z.ZodRawShape {
  return Object.fromEntries(
    Object.entries(shape).map(([name, field]) => [
      `${prefix}${name}`,
      (field as z.ZodType).nullable(),
    ]),
  )
}

/** An entity out of a row that several share; null where it was not joined, or not asked for. */
export function joined<Shape extends z.ZodRawShape>(
  entity: z.ZodObject<Shape>,
  row: Record<string, unknown>,
  prefix: string,
): z.infer<z.ZodObject<Shape>> | null {
  return row[`${prefix}accountId`] == null ? null : part(entity, row, prefix)
}

/** An entity out of a row that several share. */
export function part<Shape extends z.ZodRawShape>(
  entity: z.ZodObject<Shape>,
  row: Record<string, unknown>,
  prefix: string,
): z.infer<z.ZodObject<Shape>> {
  const fields = Object.keys(entity.shape).map((name) => [name, row[`${prefix}${name}`]])
  return Object.fromEntries(fields) as z.infer<z.ZodObject<Shape>>
}
