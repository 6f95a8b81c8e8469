import { getOption } from '@bufbuild/protobuf'
import { internal } from '@coffer/proto/options/v1/options'
import type { Answer } from './answer.ts'

/** Returns the top-level keys of an answer, or of each entry of a list; empty if not known. */
export function keysOf(answer: Answer): string[] {
  if ('kind' in answer) {
    const shown = answer.fields.filter((field) => !getOption(field, internal))
    return shown.map(({ localName }) => localName)
  }
  if ('json' in answer) return Object.keys(answer.json.properties ?? {})
  if ('list' in answer) return keysOf(answer.list)
  if ('object' in answer) return Object.keys(answer.object)
  if ('optional' in answer) return keysOf(answer.optional)
  if ('nullable' in answer) return keysOf(answer.nullable)
  return [...keysOf(answer.message), ...Object.keys(answer.with)]
}

/** Returns a rendered answer, or each entry of a list, with only these top-level keys. */
export function selectKeys(rendered: unknown, keys: readonly string[]): unknown {
  if (Array.isArray(rendered)) return rendered.map((entry) => selectKeys(entry, keys))
  if (typeof rendered !== 'object' || rendered === null) return rendered
  const wanted = new Set(keys)
  return Object.fromEntries(Object.entries(rendered).filter(([key]) => wanted.has(key)))
}
