/**
 * Source of the money that an envelope lacks: free-to-use money; for a card, its unused credit, or
 * new debt if the card has no credit limit.
 */
export type Payer = 'free' | 'credit' | 'debt'

type Adds = {
  left: string | null
  dues: number
  due: string
  hasBill: boolean
  need: string | null
  isMost: boolean
}

/**
 * The sentences of an explanation in one language, for people who plan a household: a funding is
 * their payday. Amounts and days are formatted texts, counts are numbers; a day is null if no date
 * follows, an amount is null if it is zero.
 */
export type Words = {
  skipped: (of: { first: string; count: number }) => string
  settled: (of: { paid: string; due: string | null; hasBill: boolean }) => string
  /** `hasGrace` is true if the envelope also holds money for the bill of the last due date. */
  target: (of: {
    target: string
    due: string | null
    held: string
    used: string | null
    hasGrace: boolean
  }) => string
  grace: (of: { amount: string; until: string; bill: string | null }) => string
  reached: string
  missing: (of: { need: string; sum: string }) => string
  all: (funding: string) => string
  spent: (of: { spent: string; due: string; left: string | null }) => string
  /** `payer` is null if the envelope holds enough for the bill. */
  late: (of: { due: string; payer: Payer | null }) => string
  after: (of: { funding: string; amount: string | null }) => string
  refilled: (spent: string) => string
  share: (of: { count: bigint; amount: string; sum: string; funding: string }) => string
  rest: (remainder: string) => string
  covers: (of: { funding: string; after: string | null; count: number; due: string }) => string
  /**
   * `left` is null if nothing is left after the `dues` before the payday, `due` the first of them.
   * An expense without a bill is spent by then instead.
   */
  adds: (of: Adds) => string
  none: string
  /**
   * In place of `missing`, `late` and `after` for an expense without a bill: it has no due date
   * that a payday could miss.
   */
  fills: (of: { funding: string; amount: string | null }) => string
  /** `isUsed` is false for an envelope that was never filled. */
  lasts: (of: { left: string | null; isUsed: boolean; funding: string | null }) => string
  behind: (of: { missing: string; due: string; held: string; funding: string | null }) => string
  paused: string
}

/** English sentences. */
export const english: Words = {
  skipped: ({ first, count }) =>
    count === 1
      ? `The due date on ${first} is skipped.`
      : `${count} due dates are skipped, the first on ${first}.`,
  settled: ({ paid, due, hasBill }) =>
    `${hasBill ? 'It was paid' : 'Its amount was spent'} on ${paid}, ` +
    `${due === null ? 'and no due date follows' : `so this is for ${due}`}.`,
  target: ({ target, due, held, used, hasGrace }) =>
    `It needs ${target}${due === null ? '' : ` by ${due}`}` +
    (used === null
      ? `, and ${held} is there${hasGrace ? ' for it' : ''} so far.`
      : `: ${held} is there, ${used} is already spent.`),
  grace: ({ amount, until, bill }) =>
    `Another ${amount} stays there until ${until}, for the ` +
    `${bill === null ? 'late bill of the last due date' : `bill of ${bill}`}.`,
  reached: 'That is enough: the next payday adds nothing.',
  missing: ({ need, sum }) => `${need} is still missing: ${sum}.`,
  all: (funding) => `The next payday, on ${funding}, adds all of it.`,
  spent: ({ spent, due, left }) =>
    `${spent} is already spent from it in this period, so ${due} takes ` +
    `${left === null ? 'nothing more' : `only ${left}`}.`,
  late: ({ due, payer }) => {
    const payers = {
      free: 'free to use pays what is missing then',
      credit: 'unused credit pays what is missing then',
      debt: 'what is missing then is owed',
    }
    return `No payday comes before ${due}: ${payer ? payers[payer] : 'enough is there for it'}.`
  },
  after: ({ funding, amount }) =>
    `The payday on ${funding} adds ${amount ?? 'nothing'} for the due date after it.`,
  refilled: (spent) =>
    `${spent} is already spent from it in this period, and paydays fill that up again.`,
  share: ({ count, amount, sum, funding }) =>
    `${count} paydays share this: the next one, on ${funding}, adds ${amount} (${sum}).`,
  rest: (remainder) => `A later payday adds the ${remainder} that the division leaves over.`,
  covers: ({ funding, after, count, due }) =>
    after === null
      ? `No payday follows the one on ${funding}. It covers the last due date: ${due}.`
      : `The payday on ${funding} has to last until the next one on ${after}. ` +
        `Until then that is needed ${count === 1 ? 'once' : `${count} times`}: ${due}.`,
  adds: ({ left, dues, due, hasBill, need, isMost }) => {
    const adds = `adds ${need ?? 'nothing'}${isMost ? ', the most that an amount may be' : ''}.`
    const there = left ?? 'nothing'
    if (dues === 0) return `On that payday ${there} is there, so it ${adds}`
    if (!hasBill) {
      const rest = left === null ? '' : `${left} is left, and `
      return `Once it is spent as planned, ${rest}the payday ${adds}`
    }
    const bills = dues === 1 ? `The bill of ${due} is` : `${dues} bills are`
    return `${bills} paid before that payday, so ${there} is left then: the payday ${adds}`
  },
  none: 'No payday or no due date follows, so nothing more is added.',
  fills: ({ funding, amount }) => `The payday on ${funding} adds ${amount ?? 'nothing'}.`,
  lasts: ({ left, isUsed, funding }) => {
    const none = isUsed ? 'It is used up' : 'Nothing is in it'
    const until = funding === null ? ', and no payday follows' : ` until the payday on ${funding}`
    return `${left === null ? none : `${left} is left`}${until}.`
  },
  behind: ({ missing, due, held, funding }) =>
    `It is behind by ${missing}: ${due} falls due ` +
    `${funding === null ? 'and no payday follows' : `before the payday on ${funding}`}, ` +
    `and ${held} is there.`,
  paused: 'It is paused: no payday adds anything until it is resumed.',
}

/** German sentences. */
export const german: Words = {
  skipped: ({ first, count }) =>
    count === 1
      ? `Die Fälligkeit am ${first} entfällt.`
      : `${count} Fälligkeiten entfallen, die erste am ${first}.`,
  settled: ({ paid, due, hasBill }) =>
    `${hasBill ? 'Bezahlt' : 'Ausgegeben'} am ${paid}; ` +
    `${due === null ? 'keine Fälligkeit folgt' : `dies ist für den ${due}`}.`,
  target: ({ target, due, held, used, hasGrace }) =>
    `Gebraucht werden ${target}${due === null ? '' : ` bis zum ${due}`}, ` +
    `${held} sind ${hasGrace ? 'dafür ' : ''}` +
    `${used === null ? 'bisher da' : `da, ${used} sind schon ausgegeben`}.`,
  grace: ({ amount, until, bill }) =>
    `Weitere ${amount} bleiben bis zum ${until} für die ` +
    `${bill === null ? 'späte Rechnung der letzten Fälligkeit' : `Rechnung vom ${bill}`}.`,
  reached: 'Das reicht: Der nächste Zahltag legt nichts dazu.',
  missing: ({ need, sum }) => `Es fehlen noch ${need}: ${sum}.`,
  all: (funding) => `Der nächste Zahltag am ${funding} legt alles davon dazu.`,
  spent: ({ spent, due, left }) =>
    `${spent} sind in diesem Zeitraum schon daraus bezahlt, also kostet der ${due} ` +
    `${left === null ? 'nichts mehr' : `nur noch ${left}`}.`,
  late: ({ due, payer }) => {
    const payers = {
      free: 'Was dann fehlt, zahlt das frei verfügbare Geld',
      credit: 'Was dann fehlt, kommt aus dem nicht genutzten Kredit',
      debt: 'Was dann fehlt, wird geschuldet',
    }
    return `Vor dem ${due} kommt kein Zahltag: ${payer ? payers[payer] : 'Dafür ist genug da'}.`
  },
  after: ({ funding, amount }) =>
    `Der Zahltag am ${funding} legt ${amount ?? 'nichts'} für die Fälligkeit danach dazu.`,
  refilled: (spent) =>
    `${spent} sind in diesem Zeitraum schon daraus bezahlt, und Zahltage füllen das wieder auf.`,
  share: ({ count, amount, sum, funding }) =>
    `${count} Zahltage teilen sich das: Der nächste am ${funding} legt ${amount} dazu (${sum}).`,
  rest: (remainder) => `Den Rest der Teilung, ${remainder}, legt ein späterer Zahltag dazu.`,
  covers: ({ funding, after, count, due }) =>
    after === null
      ? `Nach dem Zahltag am ${funding} folgt keiner. Er deckt die letzte Fälligkeit: ${due}.`
      : `Der Zahltag am ${funding} muss bis zum nächsten am ${after} reichen. ` +
        `Bis dahin wird das ${count === 1 ? 'einmal' : `${count}-mal`} gebraucht: ${due}.`,
  adds: ({ left, dues, due, hasBill, need, isMost }) => {
    const most = isMost ? ', den größten möglichen Betrag' : ''
    const adds = `legt der Zahltag ${need ?? 'nichts'} dazu${most}.`
    const there = left === null ? 'ist nichts mehr' : `sind noch ${left}`
    if (dues === 0) return `An diesem Zahltag ${there} da. Deshalb ${adds}`
    if (!hasBill) {
      const rest = left === null ? '' : `sind noch ${left} da. Dann `
      return `Ist bis dahin wie geplant ausgegeben, ${rest}${adds}`
    }
    const bills = dues === 1 ? `Die Rechnung vom ${due} ist` : `${dues} Rechnungen sind`
    return `${bills} vor diesem Zahltag bezahlt. Dann ${there} da, also ${adds}`
  },
  none: 'Es folgt kein Zahltag oder keine Fälligkeit, also kommt nichts mehr dazu.',
  fills: ({ funding, amount }) => `Der Zahltag am ${funding} legt ${amount ?? 'nichts'} dazu.`,
  lasts: ({ left, isUsed, funding }) => {
    const none = isUsed ? 'Aufgebraucht' : 'Noch leer'
    const until = funding === null ? ', und kein Zahltag folgt' : ` bis zum Zahltag am ${funding}`
    return `${left === null ? none : `${left} sind noch da`}${until}.`
  },
  behind: ({ missing, due, held, funding }) =>
    `Es fehlen ${missing}: ${due} werden fällig, ` +
    `${funding === null ? 'kein Zahltag folgt' : `bevor am ${funding} der Zahltag kommt`}, ` +
    `und ${held} sind da.`,
  paused: 'Pausiert: Bis zur Fortsetzung legt kein Zahltag etwas dazu.',
}
