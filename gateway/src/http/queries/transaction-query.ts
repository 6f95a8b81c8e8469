import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { say } from '@coffer/kit/reasons/reasons'
import { isId } from '@coffer/kit/values/id'
import { isYearInRange } from '@coffer/kit/values/time'
import { values } from '@coffer/proto/values'
import { z } from 'zod'
import { requireDay } from '../fields/day.ts'
import { idPattern } from '../fields/fields.ts'
import { idFault } from '../fields/id-fault.ts'
import { dayShape, tagShape } from '../fields/shapes.ts'
import { tag } from '../fields/tag.ts'
import {
  integerText,
  offset,
  optionalBoolean,
  optionalChoice,
  paged,
  searchText,
  value,
} from './query.ts'

const day = value.superRefine(requireDay).meta({ type: 'string', ...dayShape })

const from = day.describe("First day of the transactions, in the account's timezone: 2026-01-31")
const to = day.describe("Last day of the transactions, included, in the account's timezone")

const search = searchText.meta({
  description:
    'Text that occurs in a name, a merchant or the notes; upper and lower case are equal, and a ' +
    'blank one counts as not sent',
})

const pending = optionalBoolean.meta({
  type: 'boolean',
  description: 'true: only pending ones. false: only posted ones',
})

const transactionPosition = z
  .tuple([
    z.iso.datetime().refine((sent) => isYearInRange(Number(sent.slice(0, 4)))),
    z.string().refine((sent) => isId('txn', sent)),
  ])
  .transform(([date, transactionId]) => ({
    date: timestampFromDate(new Date(date)),
    transactionId,
  }))

/** Returns the schema of an amount in minor units; refuses all texts but integers. */
function amountBound(description: string) {
  const { MIN_SAFE_INTEGER: minimum, MAX_SAFE_INTEGER: maximum } = Number
  const isAmount = (sent: string | undefined) =>
    sent === undefined || (integerText.test(sent) && Number.isSafeInteger(Number(sent)))
  return value
    .refine(isAmount, `must be an integer in minor units, between ${minimum} and ${maximum}`)
    .transform((sent) => (sent === undefined ? undefined : BigInt(sent)))
    .meta({ type: 'integer', minimum, maximum, description })
}

const sources = values['Transaction.source'].toSorted()
const source = optionalChoice(sources, 'Only transactions of this source')

const taggedBy = value
  .transform((sent, context) => {
    const { data, error } = tag.optional().safeParse(sent)
    for (const { message } of error?.issues ?? []) context.addIssue(message)
    return data
  })
  .meta({
    type: 'string',
    ...tagShape,
    description: 'Only transactions with this tag; case and accents do not count',
  })

/** Values of `spendingId` that select transactions without an envelope. */
export const ofNone = ['free', 'undecided'] as const

/** Description of the values `ofNone` for the OpenAPI document. */
export const wordsOfNone =
  'free: only those of none; undecided: of these, only those of which no user has said so'

const filters = {
  search,
  from,
  to,
  pending,
  amount_from: amountBound('Smallest amount in minor units, included; the sign is that of amount'),
  amount_to: amountBound('Largest amount in minor units, included; the sign is that of amount'),
  amount: amountBound('Only transactions of this amount in minor units, of either sign'),
  source,
  tag: taggedBy,
}

/**
 * Returns the schema of a query of transactions; refuses `offset` together with filters or `after`.
 */
function filtered<Shape extends z.ZodRawShape>(more: Shape) {
  const query = paged(transactionPosition).extend({ ...filters, ...more })
  return query.superRefine((sent, context) => {
    const { limit: _, offset: skipped, ...more } = sent as z.output<typeof transactionPage>
    const { from, to } = more
    if (from && to && from > to) {
      context.addIssue({ code: 'custom', path: ['to'], message: say('BEFORE_FROM') })
    }
    const { amount_from: least, amount_to: most } = more
    if (least !== undefined && most !== undefined && least > most) {
      const message = say('BELOW_FROM')
      context.addIssue({ code: 'custom', path: ['amount_to'], message })
    }
    const isFiltered = Object.values(more).some((one) => one !== undefined)
    if (skipped > 0 && isFiltered) {
      const message = 'does not go with filters or after: follow the Link header'
      context.addIssue({ code: 'custom', path: ['offset'], message })
    }
  })
}

const deleted = optionalBoolean
  .transform((sent) => sent || undefined)
  .meta({ type: 'boolean', description: 'true for the soft-deleted transactions alone' })

/** Query of an envelope's transactions. */
export const transactionPage = filtered({ offset })

const decimalMark = optionalChoice(
  values['ReadingChoices.decimalMark'],
  'Mark in front of decimals in a CSV file; with a comma, semicolons separate its columns. ' +
    'Default: a point',
)

/** Query of a bank account's transactions; `spendingId` is an ID, `free` or `undecided`. */
export const accountTransactionPage = filtered({
  offset,
  spendingId: envelopeOrFree(),
  deleted,
  decimalMark,
})

/** Query of the transactions of all bank accounts. */
export const everyTransactionPage = filtered({ spendingId: envelopeOrFree(), deleted })

function envelopeOrFree() {
  return value
    .refine((sent = 'free') => ofNone.some((one) => one === sent) || isId('spnd', sent), {
      error: ({ input }) =>
        `must be ${ofNone.join(', ')} or an ID that begins with spnd_: ` +
        idFault('spnd', String(input)),
    })
    .meta({
      anyOf: [
        { type: 'string', enum: [...ofNone] },
        { type: 'string', pattern: idPattern('spnd') },
      ],
      description: `Only transactions of this expense or goal; ${wordsOfNone}`,
    })
}
