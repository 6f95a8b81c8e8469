import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

// biome-ignore lint/suspicious/noExplicitAny: a JSON document, read key by key
export type Json = any

/**
 * The committed copy of the OpenAPI document, without its examples. The client is generated from
 * the copy, and a review of its changes shows what changes for clients.
 */
export const copyPath = join(import.meta.dirname, '../openapi.json')

/** Returns the text of the copy; null if there is none. */
export function readCopy(): string | null {
  return existsSync(copyPath) ? readFileSync(copyPath, 'utf8') : null
}

/** Returns a document as the text of the copy, without its examples. */
export function copyOf(document: Json): string {
  return `${JSON.stringify(document, withoutExamples, 1)}\n`
}

function withoutExamples(_key: string, value: Json): Json {
  if (!value?.schema) return value
  const { example: _, examples: __, ...rest } = value
  return rest
}

/** Returns every operation of an OpenAPI document. */
export function operationsOf(document: Json): Json[] {
  return Object.values(document.paths).flatMap((methods) => Object.values(methods as Json))
}
