/**
 * The sentences of an explanation in one language. Amounts and days are formatted texts, counts are
 * numbers; a day is null if no date follows.
 */
export type Words = {
  skipped: (of: { first: string; count: number }) => string
  settled: (of: { paid: string; due: string | null }) => string
  target: (of: {
    target: string
    due: string | null
    progress: string
    used: string | null
  }) => string
  grace: (amount: string, until: string) => string
  reached: string
  missing: (sum: string) => string
  all: (funding: string) => string
  share: (of: { count: bigint; sum: string; funding: string }) => string
  rest: (remainder: string) => string
  covers: (of: { funding: string; after: string | null; sum: string }) => string
  adds: (of: { left: string; dues: number; need: string; isMost: boolean }) => string
  none: string
  behind: (of: { progress: string; funding: string | null }) => string
  paused: string
}

/** English sentences. */
export const english: Words = {
  skipped: ({ first, count }) =>
    count === 1
      ? `The due date ${first} is left out.`
      : `${count} due dates are left out, the first on ${first}.`,
  settled: ({ paid, due }) =>
    `It was paid on ${paid}; ${due === null ? 'no due date follows' : `this is for ${due}`}.`,
  target: ({ target, due, progress, used }) =>
    `${target} is the target${due === null ? '' : `, due on ${due}`}; ` +
    `${progress} is put aside so far${used === null ? '' : ` (${used} of it already spent)`}.`,
  grace: (amount, until) =>
    `${amount} more is kept for the bill of the last due date until ${until}.`,
  reached: 'The target is reached, so the next funding adds nothing.',
  missing: (sum) => `${sum} is missing.`,
  all: (funding) => `The next funding, on ${funding}, adds all of it.`,
  share: ({ count, sum, funding }) => `${count} fundings share it: ${sum} on ${funding}.`,
  rest: (remainder) => `The remaining ${remainder} of the division comes with a later funding.`,
  covers: ({ funding, after, sum }) =>
    `The funding on ${funding} covers what falls due from then on, ` +
    `${after === null ? 'and no other funding follows' : `before the one after it on ${after}`}: ` +
    `${sum}.`,
  adds: ({ left, dues, need, isMost }) =>
    `Of what is put aside ${left} is left by then` +
    `${dues > 0 ? `, after ${dues} due before it,` : ''} so it adds ${need}` +
    `${isMost ? ', the most that an amount may be' : ''}.`,
  none: 'No funding or no due date follows: nothing more is put aside.',
  behind: ({ progress, funding }) =>
    `It is behind: more than ${progress} falls due ` +
    `${funding === null ? 'and no funding follows' : `before the next funding on ${funding}`}.`,
  paused: 'It is paused: nothing is put aside until it is resumed.',
}

/** German sentences. */
export const german: Words = {
  skipped: ({ first, count }) =>
    count === 1
      ? `Die Fälligkeit am ${first} entfällt.`
      : `${count} Fälligkeiten entfallen, die erste am ${first}.`,
  settled: ({ paid, due }) =>
    `Bezahlt am ${paid}; ${due === null ? 'keine Fälligkeit folgt' : `dies ist für den ${due}`}.`,
  target: ({ target, due, progress, used }) =>
    `${target} ist das Ziel${due === null ? '' : `, fällig am ${due}`}; ` +
    `${progress} sind bisher zurückgelegt` +
    `${used === null ? '' : ` (davon ${used} schon ausgegeben)`}.`,
  grace: (amount, until) =>
    `Weitere ${amount} bleiben bis zum ${until} für die Rechnung der letzten Fälligkeit.`,
  reached: 'Das Ziel ist erreicht: Die nächste Zuführung legt nichts zurück.',
  missing: (sum) => `${sum} fehlen.`,
  all: (funding) => `Die nächste Zuführung am ${funding} legt alles davon zurück.`,
  share: ({ count, sum, funding }) => `${count} Zuführungen teilen es auf: ${sum} am ${funding}.`,
  rest: (remainder) => `Der Rest der Teilung, ${remainder}, kommt mit einer späteren Zuführung.`,
  covers: ({ funding, after, sum }) =>
    `Die Zuführung am ${funding} deckt, was ab dann fällig wird, ` +
    `${after === null ? 'und keine weitere folgt' : `vor der nächsten am ${after}`}: ${sum}.`,
  adds: ({ left, dues, need, isMost }) =>
    `Vom Zurückgelegten sind dann ${left} übrig` +
    `${dues > 0 ? `, nach ${dues} Fälligkeit${dues > 1 ? 'en' : ''} davor` : ''}: ` +
    `Sie legt ${need} zurück${isMost ? ', den größten möglichen Betrag' : ''}.`,
  none: 'Es folgt keine Zuführung oder keine Fälligkeit: Nichts wird mehr zurückgelegt.',
  behind: ({ progress, funding }) =>
    `Es fehlt Geld: Mehr als ${progress} wird fällig, ` +
    (funding === null
      ? 'und keine Zuführung folgt.'
      : `bevor am ${funding} die nächste Zuführung folgt.`),
  paused: 'Pausiert: Bis zur Fortsetzung wird nichts zurückgelegt.',
}
