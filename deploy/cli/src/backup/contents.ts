import { z } from 'zod'
import type { Entry } from './archive.ts'

const Migration = z.object({ name: z.string(), checksum: z.string() })
const Table = z.object({ table: z.string(), columns: z.array(z.string()) })

/** The tables of one service in an archive; each comes after the tables that it refers to. */
export const ArchivedSchema = z.object({
  service: z.string(),
  schema: z.string(),
  migrations: z.array(Migration),
  tables: z.array(Table),
  /** IDs of all keys that encrypt secrets in its rows, without duplicates. */
  keyIds: z.array(z.string()),
})
export type ArchivedSchema = z.infer<typeof ArchivedSchema>

/** First entry of an archive, `archive.json`. */
export const Header = z.object({
  format: z.literal(1, { error: 'is not known to this version' }),
  version: z.string(),
  createdAt: z.iso.datetime(),
  schemas: z.array(ArchivedSchema),
})
export type Header = z.infer<typeof Header>

const Sequence = z.object({ schema: z.string(), sequence: z.string(), last: z.string() })

/** Last entry of an archive, `end.json`, which proves that the archive is complete. */
export const End = z.object({
  /** Number of rows by `<schema>.<table>`. */
  rows: z.record(z.string(), z.number().int()),
  files: z.number().int(),
  sequences: z.array(Sequence),
})
export type End = z.infer<typeof End>

export const headerName = 'archive.json'
export const endName = 'end.json'

/** Returns an entry with this value as JSON. */
export function jsonEntry(name: string, value: Header | End): Entry {
  return { name, bytes: Buffer.from(`${JSON.stringify(value, null, 2)}\n`) }
}

/** Returns the name of one part of a table's rows; parts are joined in the order of their names. */
export function partName(service: string, table: string, part: number): string {
  return `database/${service}/${table}/${String(part).padStart(6, '0')}`
}

/** Returns the service and table of a part, or null for an entry of another kind. */
export function parsePart(name: string): { service: string; table: string } | null {
  const [, service, table] = /^database\/([\w-]+)\/(\w+)\/\d{6,}$/.exec(name) ?? []
  return service === undefined || table === undefined ? null : { service, table }
}

/** Returns the part of a name after `<folder>/`; null for a name in another folder. */
export function nameIn(folder: 'files' | 'keys', name: string): string | null {
  return name.startsWith(`${folder}/`) ? name.slice(folder.length + 1) : null
}
