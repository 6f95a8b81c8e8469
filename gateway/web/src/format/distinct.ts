/**
 * Returns a distinct text for each thing: its first detail, and as many further ones as needed to
 * differ from the others. Empty details are left out.
 */
export function distinctTexts(things: readonly (readonly string[])[]): string[] {
  const most = Math.max(1, ...things.map((details) => details.length))
  const written = (details: readonly string[], count: number) =>
    details.slice(0, count).filter(Boolean).join(' · ')
  return things.map((details, index) => {
    const others = things.filter((_, at) => at !== index)
    let count = 1
    const isShared = () => others.some((one) => written(one, count) === written(details, count))
    while (count < most && isShared()) count += 1
    return written(details, count)
  })
}
