/** Processor time of the machine since its start, in ticks, at `atMs`. */
export interface Reading {
  atMs: number
  stolen: number
  all: number
}

/** A larger stolen share of the processor time makes a figure useless. */
export const disturbing = 0.05

/**
 * Parses /proc/stat (proc(5)). Steal is time in which a virtual processor had work, and the host
 * ran another guest on it. Null without a line for all processors.
 */
export function readingOf(procStat: string, atMs: number): Reading | null {
  const [, fields] = /^cpu +(.+)$/m.exec(procStat) ?? []
  if (fields === undefined) return null
  // user, nice, system, idle, iowait, irq, softirq, steal; the guest fields are part of user.
  const ticks = fields.split(' ').slice(0, 8).map(Number)
  return { atMs, stolen: ticks[7] ?? 0, all: ticks.reduce((sum, count) => sum + count, 0) }
}

/** The stolen share of the processor time, 0 to 1; null without two readings. */
export function stolenShare(from: Reading | null, to: Reading | null): number | null {
  if (from === null || to === null || to.all <= from.all) return null
  // Some kernels decrease the count at times.
  return Math.max(0, (to.stolen - from.stolen) / (to.all - from.all))
}

/** The stolen share between two times, by linear interpolation of ordered readings. */
export function stolenBetween(
  readings: readonly Reading[],
  { fromMs, toMs }: { fromMs: number; toMs: number },
): number | null {
  return stolenShare(readingAt(readings, fromMs), readingAt(readings, toMs))
}

/** Whether the stolen share is too large for a figure. */
export function isDisturbed(share: number | null): boolean {
  return share !== null && share > disturbing
}

/** The text of a figure, with a dagger when it was disturbed. */
export function marked(figure: string, share: number | null): string {
  return isDisturbed(share) ? `${figure}†` : figure
}

/** The text below figures with these stolen shares; unknown shares (null) do not count. */
export function stealText(shares: readonly (number | null)[]): string {
  const known = shares.filter((share) => share !== null).sort((a, b) => a - b)
  const worst = known.at(-1)
  if (worst === undefined) return 'What the host took of the processor time is not known.'
  const median = known[Math.floor((known.length - 1) / 2)] ?? worst
  return (
    `The host took ${percent(median)} of the processor time in the median, ` +
    `${percent(worst)} at worst.` +
    (isDisturbed(worst) ? ` †: more than ${percent(disturbing)}, do not trust the figure.` : '')
  )
}

/** The interpolated reading at a time; the first or last one outside the readings. */
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
