import { getOption } from '@bufbuild/protobuf'
import { internal } from '@coffer/proto/options/v1/options'
import type { Answer } from './answer.ts'

/**
 * Returns the keys that the parameter `fields` may contain (docs/api/lists.md#fewer-keys):
 * top-level keys of an answer, or of each entry of a list. Empty if the keys are unknown.
 */
export function keysOf(answer: Answer): string[] {
  if ('kind' in answer) {
    const shown = answer.fields.filter((field) => !getOption(field, internal))
    return shown.map(({ localName }) => localName)
  }
  if ('json' in answer) return Object.keys(answer.json.properties ?? {})
  if ('list' in answer) return keysOf(answer.list)
  const entries = entriesOf(answer)
  if (entries) return keysOf(entries)
  if ('object' in answer) return Object.keys(answer.object)
  if ('optional' in answer) return keysOf(answer.optional)
  if ('nullable' in answer) return keysOf(answer.nullable)
  return [...keysOf(answer.message), ...Object.keys(answer.with)]
}

/** Returns a rendered answer with only these top-level keys; for a list, of each entry. */
export function selectKeys(answer: Answer, rendered: unknown, keys: readonly string[]): unknown {
  if (!entriesOf(answer)) return withKeys(rendered, keys)
  const page = rendered as { entries: unknown }
  return { ...page, entries: withKeys(page.entries, keys) }
}

/** Returns the list within a page object, which has `nextCursor` beside the list. */
function entriesOf(answer: Answer): Answer | undefined {
  return 'object' in answer && answer.object.nextCursor ? answer.object.entries : undefined
}

function withKeys(rendered: unknown, keys: readonly string[]): unknown {
  if (Array.isArray(rendered)) return rendered.map((entry) => withKeys(entry, keys))
  if (typeof rendered !== 'object' || rendered === null) return rendered
  const wanted = new Set(keys)
  return Object.fromEntries(Object.entries(rendered).filter(([key]) => wanted.has(key)))
}
