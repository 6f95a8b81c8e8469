/** Values by keys, each for a while. Instants are in ms. */
export interface Recent<Value> {
  get: (key: string, now: number) => Value | undefined
  set: (key: string, value: Value, now: number) => void
  delete: (key: string) => void
}

/** Keeps each value for so long after it was set; what is older goes when another is set. */
export function createRecent<Value>(keptMs: number): Recent<Value> {
  const kept = new Map<string, { value: Value; at: number }>()
  const isFresh = ({ at }: { at: number }, now: number) => now - at < keptMs
  return {
    get: (key, now) => {
      const found = kept.get(key)
      return found && isFresh(found, now) ? found.value : undefined
    },
    set: (key, value, now) => {
      kept.delete(key)
      for (const [other, one] of kept) {
        if (isFresh(one, now)) break
        kept.delete(other)
      }
      kept.set(key, { value, at: now })
    },
    delete: (key) => kept.delete(key),
  }
}
