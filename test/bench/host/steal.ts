/**
 * Processor time of the machine since its start, in ticks: total, and stolen by the host. `atMs` is
 * the time of the reading in ms.
 */
export interface Reading {
  atMs: number
  stolen: number
  all: number
}

/** Largest stolen share of the processor time, 0 to 1, at which a figure is still reliable. */
export const disturbing = 0.05

/**
 * Parses /proc/stat (proc(5)). Steal is time in which a virtual processor had work while the host
 * ran another guest on it. Returns null if the line of all processors is missing.
 */
export function readingOf(procStat: string, atMs: number): Reading | null {
  const [, fields] = /^cpu +(.+)$/m.exec(procStat) ?? []
  if (fields === undefined) return null
  // Columns: user, nice, system, idle, iowait, irq, softirq, steal. `user` includes guest time.
  const ticks = fields.split(' ').slice(0, 8).map(Number)
  return { atMs, stolen: ticks[7] ?? 0, all: ticks.reduce((sum, count) => sum + count, 0) }
}

/** Returns the stolen share of processor time between readings, 0 to 1; null if one is missing. */
export function stolenShare(from: Reading | null, to: Reading | null): number | null {
  if (from === null || to === null || to.all <= from.all) return null
  // At least 0: on some kernels the counter of stolen ticks occasionally decreases.
  return Math.max(0, (to.stolen - from.stolen) / (to.all - from.all))
}

/**
 * Returns the stolen share between two times in ms, 0 to 1, interpolated between readings, which
 * are in the order of time; null without readings.
 */
export function stolenBetween(
  readings: readonly Reading[],
  { fromMs, toMs }: { fromMs: number; toMs: number },
): number | null {
  return stolenShare(readingAt(readings, fromMs), readingAt(readings, toMs))
}

/** Returns whether the stolen share is so large that a figure is unreliable. */
export function isDisturbed(share: number | null): boolean {
  return share !== null && share > disturbing
}

/** Returns the figure, followed by † if the stolen share makes it unreliable. */
export function marked(figure: string, share: number | null): string {
  return isDisturbed(share) ? `${figure}†` : figure
}

/** Returns a sentence with the median and the largest of the stolen shares; null is ignored. */
export function stealText(shares: readonly (number | null)[]): string {
  const known = shares.filter((share) => share !== null).sort((a, b) => a - b)
  const worst = known.at(-1)
  if (worst === undefined) return 'The share of the processor time that the host took is not known.'
  const median = known[Math.floor((known.length - 1) / 2)] ?? worst
  return (
    `The host took ${percent(median)} of the processor time in the median, ` +
    `${percent(worst)} at worst.` +
    (isDisturbed(worst) ? ` †: more than ${percent(disturbing)}, do not trust the figure.` : '')
  )
}

/**
 * Returns the reading at a time in ms, interpolated; outside the readings the nearest one; null
 * without readings.
 */
function readingAt(readings: readonly Reading[], atMs: number): Reading | null {
  const next = readings.findIndex((reading) => reading.atMs >= atMs)
  const after = readings.at(next) ?? null
  const before = readings[next - 1]
  if (after === null || before === undefined) return after
  const part = (atMs - before.atMs) / (after.atMs - before.atMs)
  const between = (from: number, to: number) => from + (to - from) * part
  return {
    atMs,
    stolen: between(before.stolen, after.stolen),
    all: between(before.all, after.all),
  }
}

export function percent(share: number): string {
  const value = share * 100
  return `${value.toLocaleString('en-US', { maximumFractionDigits: value < 10 ? 1 : 0 })} %`
}
