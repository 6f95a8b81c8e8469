import { expect, test } from '@jest/globals'
import { z } from 'zod'
import { problemsOfIssues, problemTree } from '../http/errors/problems.ts'
import {
  exactly,
  list,
  nullOr,
  object,
  positiveMoney,
  ruleset,
  text,
  texts,
} from '../http/fields/fields.ts'
import { hintsOf } from './hints.ts'

const schema = z.union([
  z.strictObject({
    spendingType: exactly('expense'),
    targetAmount: positiveMoney,
    adjustsBalance: text.optional(),
    ruleset: ruleset.optional(),
    limitBalance: nullOr(positiveMoney).optional(),
    mapping: object({ headers: list(object({ derivedKind: text })) }).optional(),
  }),
  z.strictObject({ spendingType: exactly('goal'), targetAmount: positiveMoney }),
])
const [expense] = schema.options

/** Returns the hints for the refusal of a body by a schema. */
function hintsFor(body: object, of: z.ZodType = expense): string[] {
  const good = { spendingType: 'expense', targetAmount: 1 }
  const sent = { ...good, ...body }
  const { issues } = of.safeParse(sent).error ?? { issues: [] }
  const problems = problemTree(problemsOfIssues(issues))
  const bytes = Buffer.from(JSON.stringify(sent))
  return hintsOf({ status: 400, problems, headers: {}, bytes, route: { auth: 'key', body: of } })
}

const minorUnits = 'amounts are minor units: 12.50 is 1250, in a currency with two decimal places'
const unquoted = 'an amount is a number: send it without quotes'
const lineBreak =
  'a ruleset has a real line break before RRULE: in JSON it is \\n, with one backslash'
const start = 'DTSTART:20260101T060000Z'
const rule = 'RRULE:FREQ=MONTHLY;BYMONTHDAY=1'

test.each<[string, object, string[]]>([
  ['a fraction', { targetAmount: 12.5 }, [minorUnits]],
  ['a decimal text', { targetAmount: '12.50' }, [minorUnits]],
  ['a decimal comma', { targetAmount: '12,50 €' }, [minorUnits]],
  ['a fraction where null may be', { limitBalance: 1.5 }, [minorUnits]],
  ['an amount in quotes', { targetAmount: '1250' }, [unquoted]],
  ['an amount of another type', { targetAmount: true }, []],
  ['an amount that is no text', { targetAmount: { toString: 1, valueOf: 1 } }, []],
  ['a negative amount', { targetAmount: -1 }, []],
  ['a fraction of no amount', { adjustsBalance: 1.5 }, []],
  ['a ruleset with \\ and n', { ruleset: `${start}\\n${rule}` }, [lineBreak]],
  ['a ruleset with \\, r, \\ and n', { ruleset: `${start}\\r\\n${rule}` }, [lineBreak]],
  ['a ruleset in one line', { ruleset: `${start} ${rule}` }, [lineBreak]],
  ['a ruleset with another fault', { ruleset: `${start}\nRRULE:FREQ=HOURLY` }, []],
  ['a key in snake_case', { adjusts_balance: 'x' }, ['did you mean adjustsBalance?']],
  ['a key in another case', { Ruleset: 'x' }, ['did you mean ruleset?']],
  ['a misspelt key', { adjustBalanse: 'x' }, ['did you mean adjustsBalance?']],
  ['a misspelt key beside the right one', { ruleset: `${start}\n${rule}`, rule_set: 'x' }, []],
  ['a key like no other', { colour: 'green' }, []],
  ['a key of __proto__', JSON.parse('{"__proto__":1}'), []],
  ['a key that is too long', { [`adjustsBalance${' '.repeat(51)}`]: 'x' }, []],
  [
    'a misspelt key in an item of a list',
    { mapping: { headers: [{ derivedKind: 'x' }, { derived_kind: 'x' }] } },
    ['did you mean derivedKind?'],
  ],
  [
    'several faults, each hint once',
    { targetAmount: 1.5, limitBalance: '2.50', adjustbalance: 1 },
    [minorUnits, 'did you mean adjustsBalance?'],
  ],
])('%s', (_name, body, hints) => {
  expect(hintsFor(body)).toEqual(hints)
})

test.each<[object, string[]]>([
  [{ spendingType: 'bill' }, ['spendingType is expense or goal']],
  [{ spendingType: undefined }, ['spendingType is expense or goal']],
  [{ spendingType: undefined, adjustsBalance: 'x' }, ['spendingType is expense or goal']],
  [
    { spending_type: 'goal', spendingType: undefined },
    ['spendingType is expense or goal', 'did you mean spendingType?'],
  ],
  [{ targetAmount: 1.5 }, [minorUnits]],
  [{ spendingType: 'goal', ruleset: null }, []],
])('a body of two shapes with %j', (body, hints) => {
  expect(hintsFor(body, schema)).toEqual(hints)
})

const json = { auth: 'key', body: schema } as const
const form = { auth: 'key', file: 'data', body: z.any() } as const
const session = { auth: 'session' } as const
const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`
const noCredential = { status: 401, code: 'CREDENTIAL_REQUIRED' }
const unknownKey = { status: 401, code: 'API_KEY_UNKNOWN' }
const byBasic = 'use Basic, with the ID of an API key as user and its secret as password'
const misnamed = 'name the part data, and send no other file: curl --form data=@FILE'
const asForm = 'send the file as a form: curl --form data=@FILE'
const urlencoded = 'application/x-www-form-urlencoded'

test.each<[string, Parameters<typeof hintsOf>[0], string[]]>([
  [
    'a Bearer credential',
    { ...noCredential, headers: { authorization: 'Bearer x' }, route: json },
    [`a Bearer credential was sent: ${byBasic}`],
  ],
  [
    'a secret without a scheme',
    { ...noCredential, headers: { authorization: 'coffer_secret' }, route: json },
    [`the credential was not sent as Basic: ${byBasic}`],
  ],
  [
    'a key in another header',
    { ...noCredential, headers: { 'x-api-key': 'coffer_secret' }, route: json },
    [`the credential was not sent as Basic: ${byBasic}`],
  ],
  [
    'a Bearer credential for a route of sessions',
    { ...noCredential, headers: { authorization: 'bearer x' }, route: session },
    ['a Bearer credential was sent, and this takes a session: sign in'],
  ],
  [
    'an email address as user',
    { ...unknownKey, headers: { authorization: basic('ada@example.com:secret') }, route: json },
    ['the user of a Basic credential is the ID of an API key (key_…), the password its secret'],
  ],
  [
    'an unknown API key',
    {
      ...unknownKey,
      headers: { authorization: basic('key_01hzzzzzzzzzzzzzzzzzzzzzzz:x') },
      route: json,
    },
    [],
  ],
  [
    'a wrong password beside a Bearer credential',
    {
      status: 401,
      code: 'WRONG_CREDENTIALS',
      headers: { authorization: 'Bearer x' },
      route: { auth: 'none' },
    },
    [],
  ],
  ['no credential', { ...noCredential, headers: {}, route: json }, []],
  [
    'a form without the part',
    { status: 400, problems: { data: texts.missing }, headers: {}, route: form },
    [misnamed],
  ],
  [
    'a part of another name',
    { status: 400, problems: { file: texts.unknown }, headers: {}, route: form },
    [misnamed],
  ],
  [
    'an empty file',
    { status: 400, problems: { data: 'must not be empty' }, headers: {}, route: form },
    [],
  ],
  [
    'JSON instead of a form',
    { status: 415, headers: { 'content-type': 'application/json' }, route: form },
    [asForm],
  ],
  [
    'a form instead of JSON',
    { status: 415, headers: { 'content-type': urlencoded }, route: json },
    ['curl sends JSON with --json, or with --header "content-type: application/json"'],
  ],
  [
    'a text instead of JSON',
    { status: 415, headers: { 'content-type': 'text/plain' }, route: json },
    [],
  ],
  [
    'a body with a coding',
    { status: 415, headers: { 'content-encoding': 'gzip' }, route: form },
    [],
  ],
  [
    'single quotes',
    { status: 400, headers: {}, bytes: Buffer.from("{'name': 1}"), route: json },
    [`JSON has double quotes: "name", not 'name'`],
  ],
  [
    'a line break within a text',
    {
      status: 400,
      headers: {},
      bytes: Buffer.from(`{"ruleset": "${start}\n${rule}"}`),
      route: json,
    },
    ['a line break within a text of JSON is written \\n'],
  ],
  [
    'a comma at the end',
    { status: 400, headers: {}, bytes: Buffer.from('{"a": "b\\"\\n",\n}'), route: json },
    [],
  ],
  ['a path without a route', { status: 404, headers: { authorization: 'Bearer x' } }, []],
])('%s', (_name, refused, hints) => {
  expect(hintsOf(refused)).toEqual(hints)
})

test('an answer has at most 5 hints, and none about values of a body above 64 KiB', () => {
  const keys = ['spending_type', 'target_amount', 'limit_balance', 'Ruleset', 'Mapping']
  const misspelt = Object.fromEntries(keys.map((key) => [key, 1]))
  const sent = { spendingType: undefined, targetAmount: undefined, ...misspelt, adjusts_balance: 1 }
  expect(hintsFor(sent, schema)).toHaveLength(5)
  expect(hintsFor({ targetAmount: 1.5, adjusts_balance: 'x'.repeat(65_536) })).toEqual([
    'did you mean adjustsBalance?',
  ])
})
