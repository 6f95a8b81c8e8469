/** Shape of the key `hints` of an answer: texts for people (docs/api.md#hints). */
export const hintsShape = {
  optional: {
    json: {
      type: 'array',
      items: { type: 'string' },
      examples: [['The envelope held less than the amount: free-to-use pays the rest.']],
    },
  },
} as const

/** Returns the key `hints` of an answer, or no key if there are none. */
export function hintsOf({ hints }: { hints: string[] }): { hints?: string[] } {
  return hints.length > 0 ? { hints } : {}
}
