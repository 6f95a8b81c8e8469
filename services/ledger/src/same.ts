/** Whether two entities have the same fields: dates by instant, lists by their elements. */
export function isSame<Entity extends object>(one: Entity, other: Entity): boolean {
  const keys = Object.keys(one) as (keyof Entity)[]
  return keys.every((key) => isEqual(one[key], other[key]))
}

function isEqual(one: unknown, other: unknown): boolean {
  if (one instanceof Date && other instanceof Date) {
    return one.getTime() === other.getTime()
  }
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((each, index) => isEqual(each, other[index]))
  }
  return one === other
}
