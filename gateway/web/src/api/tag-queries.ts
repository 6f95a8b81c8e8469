import type { Tag } from '@coffer/client/types'
import { queryOptions } from '@tanstack/react-query'
import { coffer } from './client.ts'

export type { Tag }

/** Maximum number of tags of a transaction (docs/rules/tags.md). */
export const tagsMax = 20

/** The tags of the account with their numbers of transactions, the most frequent first. */
export const tagsQuery = queryOptions({
  queryKey: ['tags'],
  queryFn: async ({ signal }) => (await coffer.listTags({ signal })).data.tags,
})

/**
 * Renames, merges or removes tags. Repeated, as one request changes a limited number of
 * transactions.
 */
export async function renameTags(tags: string[], name: string | null): Promise<void> {
  for (;;) {
    const { data } = await coffer.renameTags({ body: { tags, name } })
    if (data.isComplete) return
  }
}

/** Removes tags that equal an earlier one after folding; returns at most 20. */
export function distinctTags(tags: string[]): string[] {
  const byFold = new Map<string, string>()
  for (const tag of tags) if (!byFold.has(foldOf(tag))) byFold.set(foldOf(tag), tag)
  return [...byFold.values()].slice(0, tagsMax)
}

/** Returns the tags in a typed text, separated by commas. */
export function typedTags(text: string): string[] {
  return text
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean)
}

/**
 * Returns the additions and removals for a PATCH that turn `from` into another list; empty if
 * equal.
 */
export function tagChanges(
  from: string[],
  to: string[],
): { addTags?: string[]; removeTags?: string[] } {
  const addTags = to.filter((one) => !from.includes(one))
  const removeTags = from.filter((one) => !to.includes(one))
  return {
    ...(addTags.length > 0 ? { addTags } : {}),
    ...(removeTags.length > 0 ? { removeTags } : {}),
  }
}

/**
 * Folds a tag for comparison: case and accents. An approximation, as the server decides by more
 * rules.
 */
function foldOf(tag: string): string {
  return tag.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
}
