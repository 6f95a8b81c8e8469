import { type Reason, reasonOf } from '@coffer/kit/reasons/reasons'

/** Members of an answer that identify a text for programs (docs/api/refusals.md). */
export type CodeMembers = {
  code?: string
  params?: Record<string, string>
  /** Code and values of the text that this text quotes as its value `fault`, if it has a code. */
  cause?: CodeMembers
}

/** Returns code, values and cause of a text; empty for a sentence without a declared code. */
export function codeMembers(text: string): CodeMembers {
  const reason = reasonOf(text)
  return reason === null ? {} : membersOf(reason)
}

function membersOf({ code, params, cause }: Reason): CodeMembers {
  return {
    code,
    ...(Object.keys(params).length > 0 ? { params } : {}),
    ...(cause === undefined ? {} : { cause: membersOf(cause) }),
  }
}

/**
 * Returns the value of a `coded…` key, such as `codedError`: the code of a text, or of each text of
 * a list; undefined without a code.
 */
export function codedValue(value: unknown): CodeMembers | CodeMembers[] | undefined {
  if (Array.isArray(value)) return value.length > 0 ? value.map(codeMembers) : undefined
  const members = codeMembers(String(value))
  return members.code === undefined ? undefined : members
}

/** Returns the key with the code of the text under a key: `codedError` of `error`. */
export function codedKey(name: string): string {
  return `coded${name.slice(0, 1).toUpperCase()}${name.slice(1)}`
}
