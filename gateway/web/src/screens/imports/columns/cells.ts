/** Evidence for the guess of columns: what the server detected in a file, and its first rows. */
export interface Evidence {
  dateFormat?: string | undefined
  /** Whether the dates are ambiguous: they fit the other order of day and month, too. */
  isDayOpen?: boolean
  rows?: readonly { cells: readonly string[] }[] | undefined
  /** Currency of the bank account, and whether it is a card or a loan. */
  currency?: string | undefined
  isDebt?: boolean
}

const pieces: Readonly<Record<string, string>> = {
  YYYY: '[0-9]{4}',
  YY: '[0-9]{2}',
  MMM: '[^0-9 ]{3,}',
  MM: '(?:0[1-9]|1[0-2])',
  M: '(?:0?[1-9]|1[0-2])',
  DD: '(?:0[1-9]|[12][0-9]|3[01])',
  D: '(?:0?[1-9]|[12][0-9]|3[01])',
}

/** Returns the first text, except blank ones, that does not match a date format; null if all do. */
export function findMisfit(texts: readonly string[], format: string): string | null {
  const source = format
    .replace(/[^YMD]/g, (mark) => `[${mark}]`)
    .replace(/Y+|M+|D+/g, (part) => pieces[part] ?? part)
  const pattern = new RegExp(`^${source}(?![0-9]{1,3}(?![0-9]))`)
  return texts.find((text) => text !== '' && !pattern.test(text)) ?? null
}

/** An amount: digits with optional signs, currency and brackets. */
const amount = new RegExp(
  String.raw`^[(]?[-+−△▲]{0,2} ?(?:[\p{L}.]{0,3}\p{Sc}?) ?[-+−]?[(]?` +
    String.raw`(?:\d[\d.,'’ ]*|[.,]\d+)[)]?[-+−]?` +
    String.raw`(?: ?\p{Sc}| ?[\p{L}.]{2,4}|(?<=[.,]\d\d ?)[CDHS])?$`,
  'u',
)
const code = /^\d{9,}$|^0\d|^[A-Za-z]{1,3}\.?\d+$/
const minus = /^[^\d]*[-−(△▲]|[-−]$/
/** A word or letter for the direction after an amount; the server interprets it. */
const word = /(?:DR|CR|DB|\d ?[CDHS])$/i

/** A label of a balance line, compared without blanks. */
const balanceLine = new RegExp(
  '^(?:opening|closing|beginning|ending)?(?:balance|saldo|solde)' +
    '(?:anterior|inicial|final|dodia|(?:brought|carried)?forward)?$',
  'i',
)
const iban = /^[A-Z]{2}\d{2}[A-Z\d]{11,30}$/

/**
 * The cells of a file by column. Rows without a date, such as headings, are left out: those whose
 * date column has none, or if no date column is known, no column at all.
 */
export class Cells {
  readonly #columns: ReadonlyMap<string, readonly string[]>
  readonly #amounts = new Map<string, number[]>()
  readonly #mark: string
  readonly #format: string
  readonly count: number

  constructor(headers: readonly string[], { rows = [], dateFormat = '' }: Evidence, date = '') {
    const at = headers.indexOf(date)
    const isDay = (cell = '') => isWritten(cell, dateFormat)
    const dated = rows
      .filter(({ cells }) => (at < 0 ? cells.some(isDay) : isDay(cells[at])))
      .filter(({ cells }) => !cells.some((cell) => balanceLine.test(cell.replace(/\s/g, ''))))
    const read = dated.length > 0 ? dated : rows
    this.count = read.length
    this.#format = dateFormat
    this.#columns = new Map(
      headers.map((name, at) => [name, read.map(({ cells }) => cells[at] ?? '')]),
    )
    const marks = [...this.#columns.values()].flat().flatMap(markOf)
    this.#mark = marks.filter((mark) => mark === ',').length * 2 > marks.length ? ',' : '.'
  }

  of(header: string): readonly string[] {
    return this.#columns.get(header) ?? []
  }

  /** Returns the number of cells that are not blank. */
  filled(header: string): number {
    return this.of(header).filter((cell) => cell !== '').length
  }

  /** Returns the number of different texts. */
  different(header: string): number {
    return new Set(this.of(header).filter((cell) => cell !== '')).size
  }

  /** Returns whether the first or the last row has a text that no other row has. */
  isOnceAtEnd(header: string): boolean {
    const texts = this.of(header)
    const ends = [texts[0], texts.at(-1)]
    return ends.some((end) => texts.filter((text) => text === end).length === 1)
  }

  /** Returns whether most cells are dates in this format; only most, because of footers. */
  isDays(header: string, format: string): boolean {
    const days = this.of(header).filter((cell) => isWritten(cell, format))
    return days.length * 2 > this.filled(header)
  }

  /** Returns whether most cells are numbers; only most, because rows may be damaged. */
  isNumbers(header: string): boolean {
    const cells = this.of(header).filter((cell) => cell !== '')
    const written = cells.filter((cell) => amount.test(cell) && !code.test(cell))
    return written.length * 2 > cells.length
  }

  /** Returns whether most cells are numbers, and at least one is not 0. */
  isAmounts(header: string): boolean {
    return this.isNumbers(header) && this.of(header).some((cell) => /[1-9]/.test(cell))
  }

  haveDecimals(header: string): boolean {
    return this.of(header).some((cell) => markOf(cell).length > 0)
  }

  /** Returns the amounts of a column by row, 0 for a blank cell. */
  amounts(header: string): number[] {
    const known = this.#amounts.get(header)
    if (known) return known
    const amounts = this.of(header).map((cell) => readAmount(cell, this.#mark))
    this.#amounts.set(header, amounts)
    return amounts
  }

  /** Returns whether each amount is followed by a word for its direction in the same cell. */
  haveWords(header: string): boolean {
    const cells = this.of(header).filter((cell) => cell !== '')
    return cells.length > 0 && cells.every((cell) => word.test(cell))
  }

  /** Returns whether no row has an amount in both columns. */
  areApart(one: string, other: string): boolean {
    return one !== other && this.#amountsIn(one, other).every((count) => count < 2)
  }

  /** Returns whether each row has an amount in exactly one of two columns of constant sign. */
  areTogether(one: string, other: string): boolean {
    const isOfBoth = [one, other].some((column) => {
      const signs = new Set(this.amounts(column).map(Math.sign))
      return signs.has(1) && signs.has(-1)
    })
    return one !== other && !isOfBoth && this.#amountsIn(one, other).every((count) => count === 1)
  }

  #amountsIn(one: string, other: string): number[] {
    const others = this.amounts(other)
    return this.amounts(one).map((size, row) => Number(size !== 0) + Number(others[row] !== 0))
  }

  /** Returns the order of the dates in a column; null if it is unclear. */
  orderOf(header: string): 'oldest first' | 'newest first' | null {
    const days = this.of(header).flatMap((day) => sortable(day, this.#format) || [])
    const moves = days.slice(1).map((day, at) => Math.sign(day - (days[at] ?? 0)))
    const trend = moves.reduce((sum, one) => sum + one, 0)
    if (trend === 0) return null
    return trend > 0 ? 'oldest first' : 'newest first'
  }

  /** Returns whether most cells are IBANs. */
  areIbans(header: string): boolean {
    const ibans = this.of(header).filter((cell) => iban.test(cell.replace(/\s/g, '')))
    return ibans.length * 2 > this.filled(header)
  }

  /** Returns a measure of information: the letters in distinct texts times the number of texts. */
  information(header: string): number {
    const cells = new Set(this.of(header))
    return [...cells].join('').replace(/\P{L}/gu, '').length * cells.size
  }
}

function isWritten(cell: string, format: string): boolean {
  return cell !== '' && format !== '' && findMisfit([cell], format) === null
}

function markOf(cell: string): string[] {
  const [, mark] = amount.test(cell) ? (/([.,])\d{1,2}\D*$/.exec(cell) ?? []) : []
  return mark === undefined ? [] : [mark]
}

function readAmount(cell: string, mark: string): number {
  const [written = ''] = /\d[\d.,'’ ]*|[.,]\d+/.exec(cell) ?? []
  const digits = written.replace(mark === ',' ? /[^\d,]/g : /[^\d.]/g, '').replace(',', '.')
  const size = Math.round(Number(digits) * 100) || 0
  return minus.test(cell) ? -size : size
}

/** Returns a sort key of a date, larger for later dates; NaN for non-English month names. */
function sortable(day: string, format: string): number {
  if (format.includes('MMM')) return Date.parse(day)
  const parts = format.match(/Y+|M+|D+/g) ?? []
  const numbers = /\D/.test(format.replace(/[YMD]/g, ''))
    ? day.split(/\D+/)
    : parts.map((part) => day.slice(format.indexOf(part), format.indexOf(part) + part.length))
  const of = (letter: string) => Number(numbers[parts.findIndex((part) => part[0] === letter)])
  return of('Y') * 10_000 + of('M') * 100 + of('D')
}
