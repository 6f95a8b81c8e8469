/** The processor time of the whole machine since it started, in ticks, as it was at `atMs`. */
export interface Reading {
  atMs: number
  stolen: number
  all: number
}

/** The share of the processor time beyond which what is measured says more about the host. */
export const disturbing = 0.05

/**
 * What the text of /proc/stat says (proc(5)): `stolen` is the time in which a processor had work to
 * do, and the host ran something else on it. Null where there is no such line.
 */
export function readingOf(procStat: string, atMs: number): Reading | null {
  const [, fields] = /^cpu +(.+)$/m.exec(procStat) ?? []
  if (fields === undefined) return null
  // user, nice, system, idle, iowait, irq, softirq, steal; what follows is counted in user.
  const ticks = fields.split(' ').slice(0, 8).map(Number)
  return { atMs, stolen: ticks[7] ?? 0, all: ticks.reduce((sum, count) => sum + count, 0) }
}

/** The share of the processor time, 0 to 1, that the host took; null where nothing was read. */
export function stolenShare(from: Reading | null, to: Reading | null): number | null {
  if (from === null || to === null || to.all <= from.all) return null
  // Some kernels count backwards now and then.
  return Math.max(0, (to.stolen - from.stolen) / (to.all - from.all))
}

/** The same between two times, of readings in their order; between two of them it is a line. */
export function stolenBetween(
  readings: readonly Reading[],
  { fromMs, toMs }: { fromMs: number; toMs: number },
): number | null {
  return stolenShare(readingAt(readings, fromMs), readingAt(readings, toMs))
}

/** Whether the host took too much. */
export function isDisturbed(share: number | null): boolean {
  return share !== null && share > disturbing
}

/** The text of a figure, with a mark where the host took too much while it was measured. */
export function marked(figure: string, share: number | null): string {
  return isDisturbed(share) ? `${figure}†` : figure
}

/** What is to be said under figures with these shares; the unknown ones (null) do not count. */
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

/** Before the first reading the first, after the last the last. */
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
