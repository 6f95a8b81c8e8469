import { say } from '@coffer/kit/reasons/reasons'
import type { DecimalMark, MarkChoice, Unreadable } from '../statement.ts'
import { bareAmount, markShownBy, otherMark } from './amount-text.ts'

/** An amount that has decimals or thousands, and why that is open. */
type Ambiguous = { mark: null; text: string; fault: string }

/** Minimum number of amounts with three digits behind one mark that decide together. */
const DECIDING_MIN = 3

/**
 * Currencies that have decimals by ISO 4217, but are counted in whole units (Unicode CLDR: no
 * digits in cash). Padded decimals are as likely as thousands in them.
 */
const WHOLE = new Set(
  (
    'AFN ALL AMD COP CRC GYD HUF IDR IQD IRR KPW LAK LBP MGA MMK MNT MUR PKR RSD SLE SOS STN SYP ' +
    'TWD TZS UZS YER'
  ).split(' '),
)

/** Evidence of the amounts of a file for the decimal mark. */
type Evidence = {
  /** Number of amounts that decide alone, by mark, and the first of each. */
  counts: Record<DecimalMark, number>
  first: Partial<Record<DecimalMark, string>>
  /** Amounts such as `29.000`, which are decimals or thousands. */
  open: { text: string; mark: DecimalMark; endsInZero: boolean }[]
  hasUnmarked: boolean
}

/**
 * Returns the decimal mark of a file: the `stated` one, or by all its amounts and the decimals of
 * its currency (docs/file-formats.md#amounts). Asks for `decimalMark` if the amounts fit both.
 */
export function chooseDecimalMark(
  texts: Iterable<string>,
  notation: { currency: string; places: number; stated?: DecimalMark | undefined },
): MarkChoice | Unreadable {
  const { stated } = notation
  if (stated !== undefined) return { mark: stated, reason: say('CHOICE_STATED') }
  const decided = decide(texts, notation)
  if (decided.mark !== null) return decided
  const { text, fault } = decided
  return { unreadable: say('MARK_UNCLEAR', { text, fault }), asks: 'decimalMark' }
}

function decide(
  texts: Iterable<string>,
  { currency, places }: { currency: string; places: number },
): MarkChoice | Ambiguous {
  const evidence = collect(texts, currency)
  const { counts, first, open } = evidence
  const mark = counts['.'] >= counts[','] ? '.' : ','
  const isDisputed = counts['.'] > 0 && counts[','] > 0
  if (counts[mark] > 0 && !(isDisputed && open.length > 0)) {
    return { mark, reason: say('MARK_SHOWN', { text: first[mark] ?? '', mark }) }
  }
  const [one] = open
  if (one === undefined) return { mark: '.', reason: say('MARK_NONE') }
  if (isDisputed) return ambiguous(one.text, say('MARKS_OF_OTHERS'))
  return places === 0
    ? thousands(one, say('MARK_WHOLE'))
    : decideOpen(evidence, { currency, places })
}

/** Decides by amounts with exactly three digits behind a single mark. */
function decideOpen(
  { open, hasUnmarked }: Evidence,
  { currency, places }: { currency: string; places: number },
): MarkChoice | Ambiguous {
  const [one = { text: '', mark: '.', endsInZero: false } as const] = open
  if (open.some(({ mark }) => mark !== one.mark)) {
    return ambiguous(one.text, say('MARKS_DIFFER'))
  }
  if (places < 3 && open.length < DECIDING_MIN) return ambiguous(one.text, say('MARKS_FEW'))
  const uneven = open.find(({ endsInZero }) => !endsInZero)
  if (places === 2 && uneven !== undefined) {
    return thousands(uneven, say('MARK_UNEVEN'))
  }
  if (hasUnmarked) return ambiguous(one.text, say('MARKS_MISSING'))
  if (WHOLE.has(currency)) return ambiguous(one.text, say('MARKS_SELDOM', { currency }))
  return { mark: one.mark, reason: say('MARK_ALIKE', { text: one.text }) }
}

function thousands({ text, mark }: { text: string; mark: DecimalMark }, fault: string): MarkChoice {
  return { mark: otherMark(mark), reason: say('MARK_THOUSANDS', { text, fault }) }
}

function ambiguous(text: string, fault: string): Ambiguous {
  return { mark: null, text, fault }
}

function collect(texts: Iterable<string>, currency: string): Evidence {
  const evidence: Evidence = {
    counts: { '.': 0, ',': 0 },
    first: {},
    open: [],
    hasUnmarked: false,
  }
  for (const text of texts) {
    addAmount(evidence, text, bareAmount(text, currency))
  }
  return evidence
}

function addAmount(evidence: Evidence, text: string, bare: string): void {
  const [digits] = /\d[\d.,' ]*|[.,]\d+/.exec(bare) ?? []
  if (digits === undefined) return
  const [mark] = /[.,]/.exec(digits) ?? []
  if (mark === undefined) {
    evidence.hasUnmarked ||= /[1-9]/.test(digits)
    return
  }
  const shown = markShownBy(digits.trim())
  if (shown === null) {
    evidence.open.push({ text, mark: mark as DecimalMark, endsInZero: digits.trim().endsWith('0') })
    return
  }
  evidence.counts[shown] += 1
  evidence.first[shown] ??= text
}
