import { say } from '@coffer/kit/reasons/reasons'
import { invalid } from '@coffer/kit/rpc/errors'
import { foldText } from '@coffer/kit/values/fold'

/** Maximum number of tags of a transaction (docs/limits.md). */
export const tagsMax = 20

/** Problem of a tag, or of a text in a rule, that consists of combining marks only. */
export const visible = say('TAG_INVISIBLE')

/** Returns the problems of tags whose `foldText` is blank, by their index; null without one. */
export function findBlankTags(tags: readonly string[]): Record<string, string> | null {
  const blank = tags.flatMap((tag, index) => (foldText(tag).trim() === '' ? [index] : []))
  return blank.length === 0 ? null : Object.fromEntries(blank.map((index) => [index, visible]))
}

/** The tags of a change: all of them, or those to add and to remove. */
export interface TagChange {
  tags?: readonly string[] | null | undefined
  addTags?: readonly string[] | null | undefined
  removeTags?: readonly string[] | null | undefined
}

/**
 * Returns the tags of a transaction after a change (docs/rules/tags.md); null without tags. Tags
 * with the same `foldText` are one tag, whose first spelling stays. Throws `invalid` beyond
 * 20 tags, for one without a visible character, and for a change that both states the tags and adds
 * or removes some.
 */
export function changeTags(before: readonly string[] | null, change: TagChange): string[] | null {
  const { tags, addTags, removeTags } = change
  if (tags === undefined && !addTags && !removeTags) return before && [...before]
  if (tags !== undefined && (addTags || removeTags)) {
    throw invalid({ tags: say('TAGS_EITHER') })
  }
  for (const [field, added] of Object.entries({ tags, addTags })) {
    const blank = findBlankTags(added ?? [])
    if (blank) throw invalid({ [field]: blank })
  }
  const removed = new Set(removeTags?.map(foldText))
  const kept = (before ?? []).filter((tag) => !removed.has(foldText(tag)))
  const changed = distinctTags(tags === undefined ? [...kept, ...(addTags ?? [])] : (tags ?? []))
  if ((changed?.length ?? 0) <= tagsMax) return changed
  const problem = say('TAGS_FULL', { max: tagsMax })
  throw invalid(tags ? { tags: problem } : { addTags: problem })
}

/** Tags to rename, by their fold, and the new name; null removes them. */
export interface TagRenaming {
  former: ReadonlySet<string>
  name: string | null
}

/**
 * Returns tags with each of `former` (folded) renamed to `name`, or removed if that is null; null
 * without tags. A tag that the transaction then has twice is kept once.
 */
export function renameTags(
  tags: readonly string[],
  { former, name }: TagRenaming,
): string[] | null {
  const named = name === null ? [] : [name]
  return distinctTags(tags.flatMap((tag) => (former.has(foldText(tag)) ? named : tag)))
}

/**
 * Removes duplicate tags, which are equal by their fold; the first one stays. Null without tags.
 */
export function distinctTags(tags: readonly string[]): string[] | null {
  const byFold = new Map(tags.toReversed().map((tag) => [foldText(tag), tag]))
  const distinct = tags.filter((tag) => byFold.get(foldText(tag)) === tag)
  const unique = [...new Set(distinct)]
  return unique.length > 0 ? unique : null
}
