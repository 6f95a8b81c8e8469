import { say } from '@coffer/kit/reasons/reasons'
import type { DecimalMark, MarkChoice, Unreadable } from '../statement.ts'
import { bareAmount, markShownBy, otherMark } from './amount-text.ts'

/** An ambiguous amount, which has decimals or grouped thousands; `fault` is the reason. */
type Ambiguous = { mark: null; text: string; fault: string }

/** Minimum number of ambiguous amounts, such as `29.000`, from which the mark may be inferred. */
const DECIDING_MIN = 3

/**
 * Currencies with decimals in ISO 4217 but without them in daily use (Unicode CLDR: no cash
 * digits). In them `29.000` is as likely to be 29 with padded decimals as 29 thousand.
 */
const WHOLE = new Set(
  (
    'AFN ALL AMD COP CRC GYD HUF IDR IQD IRR KPW LAK LBP MGA MMK MNT MUR PKR RSD SLE SOS STN SYP ' +
    'TWD TZS UZS YER'
  ).split(' '),
)

/** Evidence for the decimal mark, collected from the amounts of a file. */
type Evidence = {
  /** Number of unambiguous amounts by their decimal mark, and the first amount of each. */
  counts: Record<DecimalMark, number>
  first: Partial<Record<DecimalMark, string>>
  /** Ambiguous amounts, such as `29.000`: decimals or thousands. */
  open: { text: string; mark: DecimalMark; endsInZero: boolean }[]
  hasUnmarked: boolean
}

/**
 * Returns the decimal mark of a file: the `stated` one, else detected from its amounts and its
 * currency (docs/file-formats.md#amounts). Asks for `decimalMark` if the amounts are ambiguous.
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

/** Infers the mark if all amounts are ambiguous: exactly three digits after a single mark. */
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
