import { say } from '@coffer/kit/reasons/reasons'
import { type CodeMembers, codeMembers } from './coded-text.ts'

/** Schema of the key `hints` of an answer: texts for users (docs/api.md#hints). */
const hintsShape = {
  optional: {
    json: {
      type: 'array',
      items: { type: 'string' },
      examples: [[say('PAID_IN_PART')]],
    },
  },
} as const

/** Schema of the key `codedHints`: the codes of the hints. */
export const codedHintsShape = {
  optional: {
    json: { type: 'array', items: { $ref: '#/components/schemas/Reason' } },
  },
} as const

/** Keys of an answer for hints. */
export const hintKeys = { hints: hintsShape, codedHints: codedHintsShape } as const

/** Returns the keys of the hints of an answer, or no key if there are none. */
export function hintsOf({ hints }: { hints: string[] }): {
  hints?: string[]
  codedHints?: CodeMembers[]
} {
  return hints.length > 0 ? { hints, codedHints: hints.map(codeMembers) } : {}
}
