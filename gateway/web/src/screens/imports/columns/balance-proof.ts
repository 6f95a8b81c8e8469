import type { Cells } from './cells.ts'

/** Columns that explain the changes of a balance: signed amounts, two columns, or a word. */
export type Proof = { balance: string } & (
  | { kind: 'sign'; amount: string; out: 'minus' | 'plain' }
  | { kind: 'column'; debits: string; credits: string }
  | { kind: 'type'; amount: string; direction: string; debitWord: string; creditWord: string }
)

/** A change of the balance, in hundredths, and the row that causes it. */
type Step = { row: number; moved: number }

/** Maximum number of columns for the quadratic comparison; exports of shops have many. */
const numbersMax = 20

/**
 * Returns the columns whose amounts equal the changes of a balance in most rows, independent of
 * their headers: only those with the most fitting rows, in the order of `numbers`.
 */
export function proveByBalance(
  cells: Cells,
  of: { numbers: readonly string[]; words: readonly string[]; date: string },
): Proof[] {
  const { words, date } = of
  const numbers = of.numbers.slice(0, numbersMax)
  const order = cells.orderOf(date)
  // The order must be known: with the wrong one, the balances would prove the opposite direction.
  if (order === null) return []
  // Columns with blanks or 0 are no balances, but debits or credits, whose changes may also equal
  // amounts of another column.
  const balances = numbers.filter((one) => cells.amounts(one).every((size) => size !== 0))
  const proofs = balances.flatMap((balance) => {
    const steps = stepsOf(cells.amounts(balance), order)
    const others = numbers.filter((one) => one !== balance)
    return areDistinct(steps) ? movesOf(cells, steps, { numbers: others, words, balance }) : []
  })
  const most = Math.max(...proofs.map(({ fits }) => fits))
  return proofs.filter(({ fits }) => fits === most).map(({ proof }) => proof)
}

/**
 * Returns the changes of a balance other than 0, each with its row. The oldest row has no change,
 * because no balance precedes it.
 */
function stepsOf(balances: readonly number[], order: 'oldest first' | 'newest first'): Step[] {
  const moves = balances.slice(1).map((balance, at) => balance - (balances[at] ?? 0))
  const steps =
    order === 'oldest first'
      ? moves.map((moved, at) => ({ row: at + 1, moved }))
      : moves.map((moved, at) => ({ row: at, moved: -moved }))
  return steps.filter(({ moved }) => moved !== 0)
}

/**
 * Returns whether the changes of a column differ in size or have cents. Otherwise the column may
 * contain row numbers or quantities instead of balances.
 */
function areDistinct(steps: readonly Step[]): boolean {
  const sizes = new Set(steps.map(({ moved }) => Math.abs(moved)))
  return sizes.size > 1 || [...sizes].some((size) => size % 100 !== 0)
}

type Found = { proof: Proof; fits: number }

function movesOf(
  cells: Cells,
  steps: readonly Step[],
  of: { numbers: readonly string[]; words: readonly string[]; balance: string },
): Found[] {
  const { numbers, words, balance } = of
  const isProof = (fits: number) => fits > 0 && fits * 3 >= steps.length * 2
  const found = numbers.flatMap((amount): Found[] => {
    const amounts = cells.amounts(amount)
    const at = ({ row }: Step) => amounts[row] ?? 0
    const same = steps.filter((step) => step.moved === at(step)).length
    const negated = steps.filter((step) => step.moved === -at(step)).length
    const sized = steps.filter((step) => Math.abs(step.moved) === Math.abs(at(step)))
    const pairs = numbers.flatMap((credits): Found[] => {
      const others = cells.amounts(credits)
      const fits = steps.filter(
        (step) => step.moved === Math.abs(others[step.row] ?? 0) - Math.abs(at(step)),
      )
      const areBoth = fits.some((step) => at(step) !== 0) && fits.some(({ row }) => others[row])
      const isPair =
        cells.areTogether(amount, credits) || (areBoth && cells.areApart(amount, credits))
      const proof = { kind: 'column' as const, debits: amount, credits, balance }
      return isPair ? [{ proof, fits: fits.length }] : []
    })
    // A column of a pair of debits and credits is no column of signed amounts.
    const isOneOfTwo = numbers.some((one) => cells.areTogether(amount, one))
    const signed: Found[] = [
      { proof: { kind: 'sign', amount, out: 'minus', balance }, fits: same },
      { proof: { kind: 'sign', amount, out: 'plain', balance }, fits: negated },
    ]
    // If amounts without a sign explain both directions, a word in another column states them.
    const isEither = isProof(sized.length) && same > 0 && negated > 0
    const worded = isEither ? words.flatMap((one) => wordsOf(one, cells, sized)) : []
    return [
      ...(isOneOfTwo ? [] : signed),
      ...pairs,
      ...worded.map((moves) => ({ proof: { ...moves, amount, balance }, fits: sized.length })),
    ]
  })
  return found.filter(({ fits }) => isProof(fits))
}

/** Returns the words for money out and in, if each direction has exactly one word. */
function wordsOf(direction: string, cells: Cells, steps: readonly Step[]) {
  const texts = cells.of(direction)
  const of = (isOut: boolean) => [
    ...new Set(steps.filter(({ moved }) => moved < 0 === isOut).map(({ row }) => texts[row] ?? '')),
  ]
  const [outs, ins] = [of(true), of(false)]
  const [debitWord = '', creditWord = ''] = [outs[0], ins[0]]
  const isClear = outs.length === 1 && ins.length === 1 && debitWord !== creditWord
  return isClear ? [{ kind: 'type' as const, direction, debitWord, creditWord }] : []
}
